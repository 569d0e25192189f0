// Schedules as the API shows them beyond their objects.

/** The next due times, as if the schedule were not suspended. */
export interface SchedulePreview {
  readonly time_zone: string;
  /** RFC 3339 in UTC. */
  readonly items: readonly string[];
}

export const SLOT_OUTCOMES = ['started', 'held_back', 'missed', 'suspended', 'failed', 'backfilled'] as const;
export type SlotOutcome = (typeof SLOT_OUTCOMES)[number];

/** Counting slots of one record stops here. */
export const SLOTS_COUNTED_MAX = 1_000;

/** Outcome of a slot, of several in a row that were left out for one reason, or of those of one backfill. */
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

/** Label of a run of a schedule: its slot, RFC 3339 in UTC with whole seconds. Absent where a person started it. */
export const SLOT_LABEL = 'svc.dev/task-schedule-slot';
/** Label of a run of a backfill: the time of the request, the same for all of its runs. */
export const BACKFILL_LABEL = 'svc.dev/task-schedule-backfill';

/** Due times of one backfill. */
export const BACKFILL_MAX = 100;

/** RFC 3339; both ends belong to the range. Refused where one is absent. */
export interface BackfillRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Due time in the range of a backfill. */
export interface BackfillSlot {
  /** RFC 3339 in UTC. */
  readonly slot: string;
  /** Its run, as namespace/name; null in a preview of a slot that has none. */
  readonly task: string | null;
  /** The backfill has made the run; false in a preview. */
  readonly created: boolean;
}

export interface ScheduleBackfill {
  readonly time_zone: string;
  /** Oldest first. */
  readonly items: readonly BackfillSlot[];
  /** RFC 3339. Slots that were handled earlier have no record: those of them whose run was deleted count as slots without one. Null: there is none in the range. */
  readonly unrecorded_before: string | null;
}
