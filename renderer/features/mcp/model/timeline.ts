// Events of an McpServer as the timeline of its connection. Pure.
import type { EventRecord } from '@svc/shared/api/watch';
import type { Tone } from '../../../ui/status/tone.ts';

export interface TimelineEntry {
  readonly id: string;
  readonly at: string;
  readonly label: string;
  readonly tone: Tone;
  readonly text: string;
  /** `2 of 3` for a failed attempt. */
  readonly attempt?: string;
  readonly nextAttemptAt?: string;
}

const LOOKS: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  'mcp.connected': { label: 'Connected', tone: 'ok' },
  'mcp.list_changed': { label: 'List changed', tone: 'info' },
  'mcp.failed': { label: 'Failed', tone: 'danger' },
  'resource.created': { label: 'Created', tone: 'neutral' },
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** In the order of the events; writes of the status are left out, because the other events report the same. */
export function timelineOf(events: readonly EventRecord[]): TimelineEntry[] {
  return events.flatMap(({ id, timestamp, type, message, data }): TimelineEntry[] => {
    const look = Object.hasOwn(LOOKS, type) ? LOOKS[type] : undefined;
    if (!look) return [];
    const { attempt, maxAttempts } = data;
    const next = textOf(data.nextAttemptAt);
    return [
      {
        id,
        at: timestamp,
        ...look,
        text: message,
        ...(typeof attempt === 'number' && typeof maxAttempts === 'number' && { attempt: attemptText(attempt, maxAttempts) }),
        ...(next !== undefined && { nextAttemptAt: next }),
      },
    ];
  });
}

const attemptText = (attempt: number, max: number): string => (attempt > max ? `attempt ${attempt}` : `attempt ${attempt} of ${max}`);
