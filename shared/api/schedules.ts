// Schedules as the API shows them beyond their objects.

/** The next due times, as if the schedule were not suspended. */
export interface SchedulePreview {
  readonly time_zone: string;
  /** RFC 3339 in UTC. */
  readonly items: readonly string[];
}

export const SLOT_OUTCOMES = ['started', 'held_back', 'missed', 'suspended', 'failed'] as const;
export type SlotOutcome = (typeof SLOT_OUTCOMES)[number];

/** Counting slots of one record stops here. */
export const SLOTS_COUNTED_MAX = 1_000;

/** Outcome of a slot, or of several in a row that were left out for one reason. */
export interface SlotRecord {
  /** Decimal number; grows with each record of the schedule. */
  readonly id: string;
  /** Due time, RFC 3339 in UTC: the newest of several. Null for a run that was started by hand. */
  readonly slot: string | null;
  /** When it was handled. */
  readonly time: string;
  readonly outcome: SlotOutcome;
  /** Slots that it stands for; counting stops at SLOTS_COUNTED_MAX. */
  readonly count: number;
  readonly reason: string | null;
  /** The run, as namespace/name. */
  readonly task: string | null;
  /** Phase in which the run ended, `Deleted` for one that was deleted before; null until then. */
  readonly phase: string | null;
}
