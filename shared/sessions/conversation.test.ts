import { expect, test } from 'vitest';
import type { SessionEvent, SessionEventType, Turn } from '../api/sessions.ts';
import { Conversation } from './conversation.ts';

type EventRow = readonly [type: SessionEventType, turn?: string | undefined, payload?: Readonly<Record<string, unknown>>];

function eventsOf(told: readonly EventRow[]): SessionEvent[] {
  return told.map(([type, turn, payload = {}], index) => ({
    seq: index + 1,
    type,
    session_name: 's',
    namespace: 'default',
    timestamp: `2026-01-01T00:00:${String(index % 60).padStart(2, '0')}.000Z`,
    ...(turn !== undefined && { turn_id: turn, attempt: 1 }),
    payload,
  }));
}

function fold(...told: readonly EventRow[]): Conversation {
  const conversation = new Conversation();
  for (const event of eventsOf(told)) conversation.apply(event);
  return conversation;
}

const asked = (turn: string, content: string, sequence = 1): EventRow[] => [
  ['message.created', turn, { role: 'user', content }],
  ['turn.queued', turn, { queue_sequence: sequence }],
];
const answered = (turn: string, content: string): EventRow[] => [
  ['message.delta', turn, { delta: content }],
  ['message.completed', turn, { role: 'assistant', content }],
  ['turn.completed', turn, { usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } }],
];
const ran = (turn: string, sequence: number): EventRow[] => [
  ...asked(turn, `question ${sequence}`, sequence),
  ['turn.started', turn, { worker: 'w' }],
  ...answered(turn, `answer ${sequence}`),
  ['checkpoint.created', turn, { checkpoint_id: `c-${turn}`, safe_point: 'turn.completed' }],
];

test('a turn goes from queued over streaming to its answer', () => {
  const conversation = fold(['session.created'], ...asked('a', 'Hello'));
  expect(conversation.turns).toMatchObject([{ id: 'a', content: 'Hello', sequence: 1, phase: 'Queued', activity: 'waiting' }]);
  const streaming = fold(
    ...asked('a', 'Hello'),
    ['turn.started', 'a', { worker: 'w', task: 't' }],
    ['message.delta', 'a', { delta: 'Hi ' }],
  );
  expect(streaming.active).toMatchObject({ phase: 'Running', text: 'Hi ', final: false, task: 't', worker: 'w' });
  expect(streaming.phase).toBe('Running');
  const done = fold(...ran('a', 1));
  expect(done.turns).toMatchObject([{ phase: 'Succeeded', text: 'answer 1', final: true, usage: { total_tokens: 3 } }]);
  expect([done.phase, done.active]).toEqual(['WaitingInput', undefined]);
});

test('a completed turn keeps the remarks on its run', () => {
  const notes = ['critic: max_turns reached: the branch ends here'];
  const { turns } = fold(...asked('a', 'Hello'), ['turn.started', 'a'], ['turn.completed', 'a', { notes }]);
  expect(turns[0]?.remarks).toEqual(notes);
});

test('withdrawn text becomes a part, and the text begins again', () => {
  const { turns } = fold(
    ...asked('a', 'Hello'),
    ['turn.started', 'a'],
    ['message.delta', 'a', { delta: 'Let me ', agent: 'writer' }],
    ['message.delta', 'a', { delta: 'see.' }],
    ['message.reset', 'a', { reason: 'step' }],
    ['tool.started', 'a', { tool: 'find', request_id: 'r1', input: { q: 1 }, agent: 'writer' }],
    ['tool.completed', 'a', { tool: 'find', request_id: 'r1', output: '42', latency_ms: 5 }],
    ['message.delta', 'a', { delta: 'It is 42.' }],
  );
  expect(turns[0]?.text).toBe('It is 42.');
  expect(turns[0]?.parts).toMatchObject([
    { type: 'withdrawn', text: 'Let me see.', reason: 'step', agent: 'writer' },
    { type: 'tool', tool: 'find', agent: 'writer', input: { q: 1 }, result: { output: '42', truncated: false, latencyMs: 5 } },
  ]);
});

test('an approval makes the turn wait until its decision', () => {
  const open: EventRow[] = [
    ...asked('a', 'Pay'),
    ['turn.started', 'a'],
    ['approval.requested', 'a', { kind: 'ToolApproval', name: 'ta-1', reason: 'large sum' }],
  ];
  const waiting = fold(...open);
  expect([waiting.phase, waiting.active?.phase]).toEqual(['WaitingApproval', 'WaitingApproval']);
  const decided = fold(...open, [
    'approval.resolved',
    'a',
    { kind: 'ToolApproval', name: 'ta-1', decision: 'approved', decided_by: 'ana' },
  ]);
  expect([decided.phase, decided.active?.phase]).toEqual(['Running', 'Running']);
  expect(decided.active?.parts).toMatchObject([{ type: 'approval', name: 'ta-1', decision: 'approved', decidedBy: 'ana' }]);
});

test.each(['turn.cancelled', 'turn.failed'] as const)('%s expires the open approvals of its turn', (end) => {
  const { turns, phase } = fold(
    ...asked('a', 'Pay'),
    ['turn.started', 'a'],
    ['approval.requested', 'a', { kind: 'ToolApproval', name: 'ta-1' }],
    [end, 'a', { reason: 'stopped' }],
  );
  expect(turns[0]?.parts).toMatchObject([{ type: 'approval', name: 'ta-1', decision: 'expired' }]);
  expect(phase).not.toBe('WaitingApproval');
});

test('a failed call keeps its place and shows its error code', () => {
  const { turns } = fold(
    ...asked('a', 'x'),
    ['turn.started', 'a'],
    ['tool.started', 'a', { tool: 'one', request_id: '1', input: {} }],
    ['tool.started', 'a', { tool: 'two', request_id: '2', input: {} }],
    ['tool.completed', 'a', { tool: 'one', request_id: '1', output: 'refused', error_code: 'tool_denied' }],
  );
  expect(turns[0]?.parts).toMatchObject([{ tool: 'one', result: { errorCode: 'tool_denied' } }, { tool: 'two' }]);
});

test('a rewind undoes the turns after its checkpoint', () => {
  const conversation = fold(...ran('a', 1), ...ran('b', 2), ...ran('c', 3), ['session.rewound', undefined, { checkpoint_id: 'c-a' }]);
  expect(conversation.turns.map(({ id, undone }) => [id, undone])).toEqual([
    ['a', false],
    ['b', true],
    ['c', true],
  ]);
  expect(conversation.phase).toBe('Paused');
});

test('a rewind into a turn undoes that turn, which continues as a new one', () => {
  const conversation = fold(
    ...ran('a', 1),
    ...asked('b', 'two', 2),
    ['turn.started', 'b'],
    ['checkpoint.created', 'b', { checkpoint_id: 'mid', safe_point: 'step.completed' }],
    ...answered('b', 'done'),
    ['session.rewound', undefined, { checkpoint_id: 'mid' }],
    ['message.created', 'b2', { role: 'user', content: 'two' }],
    ['turn.queued', 'b2', { queue_sequence: 3, checkpoint_id: 'mid' }],
  );
  expect(conversation.turns.map(({ id, undone, continues }) => [id, undone, continues])).toEqual([
    ['a', false, undefined],
    ['b', true, undefined],
    ['b2', false, 'mid'],
  ]);
});

test('a rewind to an undone turn restores its branch and undoes the other one', () => {
  const conversation = fold(...ran('a', 1), ...ran('b', 2), ['session.rewound', undefined, { checkpoint_id: 'c-a' }], ...ran('c', 3), [
    'session.rewound',
    undefined,
    { checkpoint_id: 'c-b' },
  ]);
  expect(conversation.turns.map(({ id, undone }) => [id, undone])).toEqual([
    ['a', false],
    ['b', false],
    ['c', true],
  ]);
});

test('an interrupting turn precedes the queued turns', () => {
  const conversation = fold(
    ...asked('a', 'first', 1),
    ['turn.started', 'a'],
    ...asked('b', 'later', 2),
    ...asked('c', 'now', 3),
    ['turn.cancelled', 'a', { reason: 'interrupted' }],
    ['turn.started', 'c'],
  );
  expect(conversation.turns.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
});

test('history of a fork precedes its own turns, once', () => {
  const conversation = fold(
    ['session.forked', undefined, { checkpoint_id: 'c', session: { namespace: 'n', name: 'old' } }],
    ['session.resumed', undefined, { reason: 'forked' }],
    ...ran('b', 2),
  );
  const turn: Turn = {
    id: 'a',
    session_name: 's',
    namespace: 'default',
    queue_sequence: 1,
    content: 'first',
    phase: 'Succeeded',
    attempt: 1,
    idempotency_key: 'k',
    output: { last_output: 'answer' },
    created_at: '2026-01-01T00:00:00.000Z',
  };
  conversation.addHistory([turn]);
  conversation.addHistory([turn]);
  expect(conversation.turns.map(({ id, text }) => [id, text])).toEqual([
    ['a', 'answer'],
    ['b', 'answer 2'],
  ]);
  expect(conversation.origin).toEqual({ checkpointId: 'c', namespace: 'n', name: 'old' });
  expect(conversation.notes.map(({ type }) => type)).not.toContain('session.resumed');
});

test('a stream with repeats and breaks yields the same conversation', () => {
  const events = eventsOf([...ran('a', 1), ...ran('b', 2), ['session.paused', undefined, { reason: 'r' }], ['session.resumed']]);
  const whole = new Conversation();
  for (const event of events) whole.apply(event);
  for (let cut = 0; cut < events.length; cut += 1) {
    const resumed = new Conversation();
    for (const event of events.slice(0, cut)) resumed.apply(event);
    for (const event of events.slice(Math.max(0, cut - 3))) resumed.apply(event);
    expect({ turns: resumed.turns, notes: resumed.notes, phase: resumed.phase }).toEqual({
      turns: whole.turns,
      notes: whole.notes,
      phase: whole.phase,
    });
  }
});

test('ended Sessions and unknown event types are read as they come', () => {
  const conversation = fold(...ran('a', 1), ['session.completed', undefined, { reason: 'max_turns_reached' }]);
  conversation.apply({
    ...(eventsOf([['error', 'a', { message: 'm' }]])[0] as SessionEvent),
    seq: 99,
    type: 'turn.new' as SessionEventType,
  });
  expect([conversation.phase, conversation.ended, conversation.lastSeq]).toEqual(['Completed', true, 99]);
  expect(conversation.notes).toMatchObject([{ type: 'session.completed', reason: 'max_turns_reached', afterTurn: 'a' }]);
});
