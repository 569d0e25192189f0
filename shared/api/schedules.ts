// Schedules as the API shows them beyond their objects.

/** The next due times, as if the schedule were not suspended. */
export interface SchedulePreview {
  readonly time_zone: string;
  /** RFC 3339 in UTC. */
  readonly items: readonly string[];
}
