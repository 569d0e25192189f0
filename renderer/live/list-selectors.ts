// Selectors of a list request, and the range of names that a search by prefix reads. Pure.

export interface ListInput {
  readonly kind: string;
  /** Absent: every namespace. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Words of the objects' texts, for kinds that are searched. */
  readonly q?: string;
  /** One of the orders of the kind, as the server names them. */
  readonly order: string;
  readonly limit: number;
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** Selectors can only be joined by "and": one phase is selected, several by excluding all others. */
function phaseSelector(phases: readonly string[], wanted: readonly string[]): string | undefined {
  const known = phases.filter((phase) => wanted.includes(phase));
  if (known.length === 0 || known.length === phases.length) return undefined;
  if (known.length === 1) return `status.phase=${known[0]}`;
  const others = phases.filter((phase) => !known.includes(phase));
  return others.map((phase) => `status.phase!=${phase}`).join(',');
}

/** Field selector of a list by phases and by the system that its objects name; undefined without a filter. `phases` are those of the kind. */
export function fieldSelectorOf(
  phases: readonly string[],
  { phase, system }: { readonly phase: readonly string[]; readonly system: string },
): string | undefined {
  const selected = phaseSelector(phases, phase);
  const all = [...(selected === undefined ? [] : [selected]), ...(system === '' ? [] : [`spec.system=${system}`])];
  return all.length === 0 ? undefined : all.join(',');
}

const NAME_CHARACTERS = '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const NAME_MAX_CHARS = 253;

/** A name before all that begin with `prefix` and after nearly all others: the start of a list by name. Undefined: at the start. */
export function nameBefore(prefix: string): string | undefined {
  const last = prefix.at(-1);
  if (last === undefined) return undefined;
  const at = NAME_CHARACTERS.indexOf(last);
  if (at < 0) return undefined;
  const head = prefix.slice(0, -1);
  if (at === 0) return head === '' ? undefined : /[A-Za-z0-9]$/.test(head) ? head : nameBefore(head);
  const lower = NAME_CHARACTERS.slice(0, at);
  const before = head === '' ? lower.replace(/[^A-Za-z0-9]/g, '').at(-1) : lower.at(-1);
  return before === undefined ? undefined : `${head}${before}`.padEnd(NAME_MAX_CHARS, 'z');
}

/** Whether names with the prefix are one range of the list: over all namespaces they are not. */
function isOneRange({ order, namespace }: ListInput, prefix: string): boolean {
  return order === 'name' && namespace !== undefined && prefix !== '';
}

/** Start of the server's reading for a prefix; undefined: at the start. */
export function firstCursor(input: ListInput, prefix: string): string | undefined {
  const before = isOneRange(input, prefix) ? nameBefore(prefix) : undefined;
  return before === undefined ? undefined : `${input.namespace}/${before}`;
}

export function hasPrefix({ metadata }: Named, prefix: string): boolean {
  return metadata.name.startsWith(prefix);
}

/** Whether reading on after `last` can find more of a prefix: within one range, not once it is passed. */
export function worthReadingOn(last: Named | undefined, input: ListInput, prefix: string): boolean {
  if (last === undefined || !isOneRange(input, prefix)) return true;
  return last.metadata.name < prefix || hasPrefix(last, prefix);
}
