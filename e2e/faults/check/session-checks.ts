// Invariants of Sessions: gap-free events, one turn at a time, each content once, answers equal to their deltas, fences, tool calls, readers.
import type { Store, StreamEvent } from '../../../server/store/store.ts';
import type { SessionTraffic } from '../world/session-clients.ts';
import type { Violation } from './evidence.ts';

export interface SessionEvidence extends SessionTraffic {
  /** Stored events, in their order. */
  readonly events: readonly StreamEvent[];
}

const PAGE = 1_000;

/** Reads the events of the Sessions from a store without writers. */
export async function readSessions(store: Store, talked: readonly SessionTraffic[]): Promise<SessionEvidence[]> {
  const read = async (each: SessionTraffic): Promise<SessionEvidence> => {
    const session = await store.getObject({ kind: 'Session', namespace: 'default', name: each.session });
    const events: StreamEvent[] = [];
    for (;;) {
      const page = (await store.readEvents(`session/${session?.uid}`, { after: events.at(-1)?.seq ?? 0, limit: PAGE })).events;
      events.push(...page);
      if (page.length < PAGE) return { ...each, events };
    }
  };
  return Promise.all(talked.map(read));
}

type Check = readonly [invariant: string, find: (evidence: SessionEvidence) => string[]];

const payloadOf = ({ data }: StreamEvent) => data['payload'] as Readonly<Record<string, unknown>>;
const ofType = (events: readonly StreamEvent[], type: string) => events.filter((event) => event.type === type);
const ENDS: ReadonlySet<string> = new Set(['turn.completed', 'turn.failed', 'turn.cancelled']);
const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

const CHECKS: readonly Check[] = [
  [
    'events of a Session have no gaps',
    ({ events }) => events.flatMap(({ seq }, at) => (seq === at + 1 ? [] : [`${seq} stands at ${at + 1}`])),
  ],
  ['a Session runs one turn at a time', ({ events }) => overlaps(events)],
  [
    'each content of a Session is recorded and answered once, in its order',
    ({ events, contents }) => {
      const said = ofType(events, 'message.created').map((event) => payloadOf(event)['content']);
      const answered = ofType(events, 'turn.completed').map(({ data }) => data['turn_id']);
      const asked = ofType(events, 'message.created').map(({ data }) => data['turn_id']);
      return [
        ...(same(said, contents) ? [] : [`recorded ${JSON.stringify(said)}, submitted ${JSON.stringify(contents)}`]),
        ...(same(answered, asked) ? [] : [`completed ${JSON.stringify(answered)}, submitted ${JSON.stringify(asked)}`]),
      ];
    },
  ],
  ['an answer equals its deltas since the last reset', ({ events }) => unequalAnswers(events)],
  [
    'fences of a Session grow',
    ({ events }) => {
      const fences = ofType(events, 'turn.started').map((event) => Number(payloadOf(event)['fence']));
      return fences.flatMap((fence, at) => (at === 0 || fence > (fences[at - 1] ?? 0) ? [] : [`${fence} came after ${fences[at - 1]}`]));
    },
  ],
  [
    'a tool call of a Session is shown once',
    ({ events }) => {
      const ids = ofType(events, 'tool.completed').map((event) => String(payloadOf(event)['request_id']));
      return ids.filter((id, at) => ids.indexOf(id) !== at);
    },
  ],
  [
    'a reader of a Session sees every event once',
    ({ events, seen, surprises }) => {
      const stored = events.map(({ seq, type }) => `${seq} ${type}`);
      const read = seen.map(({ seq, data }) => `${seq} ${String(data['type'])}`);
      return same(read, stored.slice(0, read.length)) && surprises.length === 0
        ? []
        : [`read ${read.length} of ${stored.length} events, not those that are stored; ${surprises.join(', ')}`];
    },
  ],
];

export function checkSessions(sessions: readonly SessionEvidence[]): Violation[] {
  return CHECKS.flatMap(([invariant, find]) =>
    sessions.flatMap((evidence) => find(evidence).map((detail) => ({ invariant, detail: `${evidence.session}: ${detail}` }))),
  );
}

function overlaps(events: readonly StreamEvent[]): string[] {
  let running: unknown;
  return events.flatMap(({ seq, type, data }) => {
    const turn = data['turn_id'];
    if (type === 'turn.started') {
      const other = running !== undefined && running !== turn;
      running = turn;
      return other ? [`event ${seq} starts ${String(turn)} while another runs`] : [];
    }
    if (ENDS.has(type) && running === turn) running = undefined;
    return [];
  });
}

function unequalAnswers(events: readonly StreamEvent[]): string[] {
  let text = '';
  return events.flatMap((event) => {
    const payload = payloadOf(event);
    if (event.type === 'message.reset') text = '';
    if (event.type === 'message.delta') text += String(payload['delta']);
    if (event.type !== 'message.completed') return [];
    const shown = text;
    text = '';
    return shown === payload['content'] ? [] : [`event ${event.seq}: "${shown}" became "${String(payload['content'])}"`];
  });
}
