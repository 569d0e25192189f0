// Breakpoints that a run reached, from its trace: where a turn waits, with what text, and how it was left. Pure.
import { durationMs } from '@svc/shared/duration';
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { BREAKPOINT_WAIT_DEFAULT } from '@svc/shared/kinds/task/trial-limits';
import type { Span } from '../../trace/model/spans.ts';
import type { TraceStore } from '../../trace/model/trace-store.ts';

type Place = 'before' | 'after';

/** The end of a wait. */
interface StopEnd {
  readonly decision: string;
  readonly by: string | undefined;
  readonly reason: string | undefined;
}

export interface Stop {
  /** Id of its span. */
  readonly id: string;
  /** `at` of a request to continue it. */
  readonly turnId: string;
  readonly agent: string;
  readonly place: Place;
  /** The message into the agent, or its output. */
  readonly text: string;
  /** The trace kept only the beginning of the text. */
  readonly cut: boolean;
  /** Deadline, in milliseconds since the epoch. */
  readonly until: number;
  /** Undefined while it waits. */
  readonly left: StopEnd | undefined;
}

function leftAs(span: Span, resolved: TraceEntry | undefined): StopEnd | undefined {
  if (span.end === undefined) return undefined;
  return { decision: resolved?.decision ?? 'closed', by: resolved?.reviewer, reason: resolved?.comment };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The oldest first. `wait` is that of the trial. */
export function stopsOf({ fold, entries }: TraceStore, wait = BREAKPOINT_WAIT_DEFAULT): Stop[] {
  return fold.spans.flatMap((span): Stop[] => {
    const reached = span.kind === 'breakpoint' ? entries[span.entries[0] ?? -1] : undefined;
    if (!reached) return [];
    const place = reached.breakpoint === 'after' ? 'after' : 'before';
    const resolved = span.entries.map((at) => entries[at]).find((entry) => entry?.type === 'breakpoint_resolved');
    return [
      {
        id: span.id,
        turnId: reached.turn_id ?? '',
        agent: reached.agent ?? '',
        place,
        text: textOf(place === 'before' ? reached.input : reached.output),
        cut: reached.truncated === true,
        until: span.start + durationMs(wait, BREAKPOINT_WAIT_DEFAULT),
        left: leftAs(span, resolved),
      },
    ];
  });
}

/** "Continued by ada, with another output." */
export function leftSentence({ left, place, agent }: Stop): string {
  if (left === undefined) return '';
  const by = left.by === undefined || left.by === '' ? '' : ` by ${left.by}`;
  switch (left.decision) {
    case 'continued':
      return `The breakpoint ${place} ${agent} was continued${by}.`;
    case 'ended':
      return `The run was ended${by}${left.reason ? `: ${left.reason}` : ''}.`;
    case 'expired':
      return 'The deadline passed, and the run ended.';
    default:
      return 'The run ended.';
  }
}
