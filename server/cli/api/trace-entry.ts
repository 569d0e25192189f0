// One entry of a task's trace as the API returns it.
import type { TraceEntry as KnownEntry } from '@svc/shared/kinds/task/records';

export interface TraceEntry extends Readonly<Omit<KnownEntry, 'type'>> {
  /** A newer server has further types. */
  readonly type: string;
}
