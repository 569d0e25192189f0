// Marks of the next trial on the graph of a system: breakpoints and pinned outputs. Pure; independent of screens.

export interface NodeMarks {
  readonly before: boolean;
  readonly after: boolean;
  /** An earlier run whose output is pinned, or `spec` for a text. */
  readonly pin: string | undefined;
}

/** By agent. */
export type TrialMarks = ReadonlyMap<string, NodeMarks>;

/** "stops before it", "output pinned"; for screen readers and tooltips. */
export function markLabels({ before, after, pin }: NodeMarks): string[] {
  return [
    ...(before ? ['breakpoint before'] : []),
    ...(after ? ['breakpoint after'] : []),
    ...(pin === undefined ? [] : [pin === 'spec' ? 'output pinned' : `output reused from run ${pin}`]),
  ];
}
