// Field selectors: `status.phase=Running,spec.system!=support`.
import { invalidFields } from './errors.ts';

/** One requirement on a field; all of a list must hold. */
export interface FieldRequirement {
  /** Dotted path into the resource: `status.phase`, `spec.system`, `spec.task_ref`. */
  readonly path: string;
  readonly op: 'eq' | 'neq';
  readonly value: string;
}

const PROBLEM = 'must be requirements such as status.phase=Running, separated by commas';

/** `path=value`, `path==value` or `path!=value`, separated by commas. Throws `invalid`. The paths that a kind offers are in its definition. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return text.split(',').map((part) => {
    const [, path = '', operator, value = ''] = /^([\w.-]+)\s*(!=|==|=)\s*(.*)$/.exec(part.trim()) ?? [];
    if (operator === undefined) throw invalidFields('The request', [{ path: 'fieldSelector', message: PROBLEM }]);
    return { path, op: operator === '!=' ? 'neq' : 'eq', value };
  });
}

/** Whether the resource meets every requirement; an absent field equals no value. */
export function matchesFields(requirements: readonly FieldRequirement[], resource: object): boolean {
  return requirements.every(({ path, op, value }) => {
    const found = path
      .split('.')
      .reduce<unknown>((at, part) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[part], resource);
    return (found === value) === (op === 'eq');
  });
}
