// Outcome of an object: its phase, or the end that a person chose. Pure.
// The console's first screen loads this: it imports no schema.

/** Outcomes of a kind besides its phases. */
export interface Outcomes {
  /** Phases of an object that ended so. */
  readonly phases: readonly string[];
  /** Outcomes by `status.reason`. */
  readonly byReason: Readonly<Record<string, string>>;
}

/** The outcome of an ended object; of another its phase. */
export function outcomeOf(
  outcomes: Outcomes | undefined,
  { phase, reason = '' }: { readonly phase: string; readonly reason?: string | undefined },
): string {
  if (!outcomes?.phases.includes(phase)) return phase;
  return (Object.hasOwn(outcomes.byReason, reason) ? outcomes.byReason[reason] : undefined) ?? phase;
}
