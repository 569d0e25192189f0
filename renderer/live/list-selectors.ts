// Selectors of a list request. Pure.

export interface ListInput {
  readonly kind: string;
  /** Absent: every namespace. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Words of the objects' texts, for kinds that are searched. */
  readonly q?: string;
  /** Part of the names, in any case. */
  readonly nameContains?: string;
  /** One of the orders of the kind, as the server names them. */
  readonly order: string;
  readonly limit: number;
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
