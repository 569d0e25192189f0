// Query parameters as handlers ask for them. A malformed value is `invalid` and names the parameter.
import { invalidFields, type ServiceError } from '@svc/shared/errors';
import { DEFAULT_NAMESPACE, namespaceProblem } from '@svc/shared/resource';

const EVERY_NAMESPACE = '*';

export function badParameter(name: string, message: string): ServiceError {
  return invalidFields('The request', [{ path: name, message }]);
}

/** Parameters of lists. Clients send them empty for none: a first page, no selector. Others stay: an empty version or uid must not drop the condition. */
const ABSENT_WHEN_EMPTY = ['after', 'labelSelector', 'fieldSelector', 'sort'];

export class Query {
  readonly #values = new Map<string, string>();

  /** `search` is what follows the question mark. Throws `invalid` when a parameter is repeated. */
  constructor(search: string) {
    if (search === '') return;
    for (const [name, value] of new URLSearchParams(search)) {
      if (this.#values.has(name)) throw badParameter(name.slice(0, 100), 'is given more than once');
      this.#values.set(name, value);
    }
    for (const name of ABSENT_WHEN_EMPTY) if (this.#values.get(name) === '') this.#values.delete(name);
  }

  /** The names of the parameters that were given. */
  names(): string[] {
    return [...this.#values.keys()];
  }

  text(name: string): string | undefined {
    return this.#values.get(name);
  }

  oneOf<const T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    const found = values.find((each) => each === value);
    if (found === undefined) throw badParameter(name, `must be ${values.join(' or ')}`);
    return found;
  }

  flag(name: string): boolean {
    return this.oneOf(name, ['true', 'false']) === 'true';
  }

  integer(name: string, range: { readonly min: number; readonly max: number }): number | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= range.min && number <= range.max) return number;
    const bounds = range.max === Number.MAX_SAFE_INTEGER ? `of at least ${range.min}` : `from ${range.min} to ${range.max}`;
    throw badParameter(name, `must be a whole number ${bounds}`);
  }

  /** One namespace, `default` when absent. */
  namespace(): string {
    const value = this.#values.get('namespace') ?? DEFAULT_NAMESPACE;
    const problem = value === EVERY_NAMESPACE ? 'may be "*" only on lists and watches' : namespaceProblem(value);
    if (problem !== undefined) throw badParameter('namespace', problem);
    return value;
  }

  /** One namespace, `default` when absent, or undefined for all of them (`*`). */
  namespaces(): string | undefined {
    return this.#values.get('namespace') === EVERY_NAMESPACE ? undefined : this.namespace();
  }

  /** One namespace, or undefined for all of them: `*`, or absent. */
  namespaceFilter(): string | undefined {
    return this.#values.has('namespace') ? this.namespaces() : undefined;
  }
}
