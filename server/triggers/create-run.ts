// Runs that start without a person: a Task made from a template Task, as part of the transaction that notes its cause.
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import { API_VERSION, parseRef, type Resource } from '@svc/shared/resource';
import { textStart } from '@svc/shared/text-start';
import { creatorsOf, partIdentity } from '../registry/principal.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import type { StoredObject, StoreReader, StoreTransaction } from '../store/store.ts';

export const TRIGGERS: RequestContext = { identity: partIdentity('triggers'), requestId: 'triggers' };

export interface TriggeredRun {
  /** Object that starts the run; its namespace is that of the run. */
  readonly trigger: StoredObject;
  /** Template Task, as name or namespace/name. */
  readonly taskRef: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Added to the input of the template; wins over equal names. */
  readonly input: Readonly<Record<string, string>>;
  /** Further principals that count as creators. */
  readonly alsoBy?: readonly string[];
}

/** The run, or why the template gives none, in one sentence. */
export type RunOutcome = { readonly task: Resource } | { readonly problem: string };

/** Throws only what the transaction has to repeat or fail for; a refusal of the Task is a problem. */
export async function createTriggeredRun(tx: StoreTransaction, registry: Pick<Registry, 'within'>, run: TriggeredRun): Promise<RunOutcome> {
  const { trigger, name, labels, input, alsoBy = [] } = run;
  const template = await readTemplate(tx, run.taskRef, trigger.namespace);
  if (typeof template === 'string') return { problem: template };
  const { mode: _template, ...spec } = template.spec;
  const body = {
    apiVersion: API_VERSION,
    kind: 'Task',
    metadata: {
      name: await freeTaskName(tx, trigger.namespace, name),
      labels: { ...template.labels, ...labels },
      annotations: template.annotations,
    },
    spec: { ...spec, system: systemOf(template, trigger.namespace), input: { ...specOf('Task', template).input, ...input } },
  };
  const creators = [...new Set([...alsoBy, ...creatorsOf(trigger), ...creatorsOf(template)])];
  try {
    const write = { kind: 'Task', body, namespace: trigger.namespace, ifNoneMatch: '*', alsoBy: creators };
    return { task: (await registry.within(tx).post(TRIGGERS, write)).resource };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid') return { problem: `the Task was refused: ${error.message}` };
    throw error;
  }
}

/** The template Task, or one sentence that stays true in a status while ordinary Tasks of that name are created and deleted. */
export async function readTemplate(reader: Pick<StoreReader, 'getObject'>, ref: string, namespace: string): Promise<StoredObject | string> {
  const key = { kind: 'Task', ...parseRef(ref, namespace) };
  const task = await reader.getObject(key);
  if (task && isTemplate(task)) return task;
  return `template Task ${key.namespace}/${key.name} does not exist, or is not a template (spec.mode: template)`;
}

export const isTemplate = (task: Resource | StoredObject): boolean => specOf('Task', task).mode === 'template';

/** Names in a template mean objects of its own namespace. */
function systemOf(template: StoredObject, namespace: string): string {
  const { system } = specOf('Task', template);
  return template.namespace === namespace || system.includes('/') ? system : `${template.namespace}/${system}`;
}

/** The name, or one of `<name>-2`, `<name>-3` and so on that no Task has: the next number, unless some were deleted. */
export async function freeTaskName(tx: Pick<StoreReader, 'getObject'>, namespace: string, name: string): Promise<string> {
  const numbered = (n: number) => (n === 1 ? name : `${name}-${n}`);
  const isTaken = async (n: number) => (await tx.getObject({ kind: 'Task', namespace, name: numbered(n) })) !== undefined;
  let [taken, free] = [0, 1];
  while (await isTaken(free)) [taken, free] = [free, free * 2];
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(middle)) taken = middle;
    else free = middle;
  }
  return numbered(free);
}

const LABEL_VALUE_MAX = 255;

/** A text as the value of a label, without control characters and cut to the longest value of one, but not within a pair of surrogates. */
export function labelValue(text: string): string {
  return textStart(text.replace(/\p{Cc}/gu, ''), LABEL_VALUE_MAX);
}
