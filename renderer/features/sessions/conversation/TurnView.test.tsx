// States of one turn as a person sees them, each folded from the events that lead to it.
import type { SessionEventType } from '@svc/shared/api/sessions';
import { Conversation } from '@svc/shared/sessions/conversation';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../testing/fake-link.ts';
import { answerObjects, objectOf } from '../../../testing/fake-objects.ts';
import { renderAt } from '../../../testing/render-at.tsx';
import type { Place } from '../model/session.ts';
import { TurnView } from './TurnView.tsx';

type EventRow = readonly [type: SessionEventType, payload?: Readonly<Record<string, unknown>>];

const STARTED: readonly EventRow[] = [
  ['message.created', { role: 'user', content: 'Pay the invoice' }],
  ['turn.queued', { queue_sequence: 1 }],
  ['turn.started', { worker: 'w', task: 'session-desk-1' }],
];

const toolApproval = objectOf('ToolApproval', 'ta-1', {
  spec: { task: 'session-desk-1', tool: 'pay', agent: 'clerk', input: {}, reason: 'large sum' },
  status: { phase: 'Pending' },
});

interface Shown {
  readonly ahead?: number;
  readonly onSendAgain?: (content: string) => void;
  readonly place?: Place | undefined;
}

async function show(told: readonly EventRow[], { ahead = 0, onSendAgain, ...given }: Shown = {}) {
  const place = 'place' in given ? given.place : { namespace: 'ops', session: 'desk', scope: 'ops' };
  serve({ resources: answerObjects([toolApproval]) });
  const conversation = new Conversation();
  for (const [index, [type, payload = {}]] of told.entries())
    conversation.apply({
      ...{ seq: index + 1, type, session_name: 'desk', namespace: 'ops', turn_id: 'turn-1', payload },
      timestamp: `2026-01-01T00:00:0${index % 10}.000Z`,
    });
  const turn = conversation.turn('turn-1');
  if (!turn) throw new Error('the events name no turn');
  await renderAt('/n/ops/sessions/desk', () => (
    <TurnView turn={turn} revision={turn.revision} ahead={ahead} held={false} place={place} onSendAgain={onSendAgain} />
  ));
}

const shownTurn = () => screen.getByRole('article', { name: 'Turn 1' });

test.each<readonly [title: string, told: readonly EventRow[], ahead: number, state: string]>([
  ['next in the queue', STARTED.slice(0, 2), 1, 'Queued, next'],
  ['behind others', STARTED.slice(0, 2), 3, 'Queued, 3 before it'],
  ['without a worker', STARTED.slice(0, 2), 0, 'Waiting for a worker'],
  ['before its first text', STARTED, 0, 'Thinking'],
  ['that streams', [...STARTED, ['message.delta', { delta: 'I pay' }]], 0, 'Writing'],
  ['in a tool call', [...STARTED, ['tool.started', { tool: 'pay', request_id: 'r', input: {} }]], 0, 'Running pay'],
  ['that lost its worker', [...STARTED, ['turn.retrying', { reason: 'the worker was lost' }]], 0, 'Retrying'],
  ['of a paused Session', [...STARTED, ['session.paused', {}]], 0, 'Paused'],
])('a turn %s shows its state', async (_, told, ahead, state) => {
  await show(told, { ahead });
  expect(shownTurn().textContent).toContain('Pay the invoice');
  expect(shownTurn().querySelector('[data-turn-state]')?.textContent).toContain(state);
});

test('streamed text is shown as Markdown while it grows', async () => {
  await show([...STARTED, ['message.delta', { delta: 'I **pay** it.', agent: 'clerk' }]]);
  expect(shownTurn().querySelector('strong')?.textContent).toBe('pay');
  expect(shownTurn().textContent).toContain('clerk');
});

test('an open approval is shown in its turn, which waits for it', async () => {
  await show([...STARTED, ['approval.requested', { kind: 'ToolApproval', name: 'ta-1', reason: 'large sum', agent: 'clerk' }]]);
  await waitFor(() => expect(screen.getByRole('region', { name: 'Approval needed' })).toBeDefined());
  expect(shownTurn().querySelector('[data-turn-state]')?.textContent).toContain('Waiting for approval');
});

test('a decided approval names the decision and the person', async () => {
  const asked = { kind: 'ToolApproval', name: 'ta-1', agent: 'clerk' };
  await show([...STARTED, ['approval.requested', asked], ['approval.resolved', { ...asked, decision: 'approved', decided_by: 'ana' }]]);
  expect(shownTurn().textContent).toMatch(/Approved.*ana/);
});

test('an approval of a stopped turn asks for no decision', async () => {
  await show([...STARTED, ['approval.requested', { kind: 'ToolApproval', name: 'ta-1' }], ['turn.cancelled', { reason: 'stopped' }]]);
  expect(shownTurn().textContent).toContain('Expired');
  expect(screen.queryByRole('region', { name: 'Approval needed' })).toBeNull();
});

test('a failed turn names its error and sends its message again', async () => {
  const onSendAgain = vi.fn();
  await show([...STARTED, ['turn.failed', { error: 'the model refused' }]], { onSendAgain });
  expect(screen.getByRole('group', { name: 'Failure' }).textContent).toContain('the model refused');
  fireEvent.click(screen.getByRole('button', { name: 'Send again' }));
  expect(onSendAgain).toHaveBeenCalledWith('Pay the invoice');
});

test('a failed turn of an ended Session is not sent again', async () => {
  await show([...STARTED, ['turn.failed', { error: 'the model refused' }]]);
  expect(screen.queryByRole('button', { name: 'Send again' })).toBeNull();
});

test('an interrupted turn keeps its withdrawn text folded, with the reason', async () => {
  const told: EventRow[] = [
    ['message.delta', { delta: 'Half an' }],
    ['message.reset', { reason: 'interrupted' }],
    ['turn.cancelled', { reason: 'interrupted' }],
  ];
  await show([...STARTED, ...told]);
  expect(shownTurn().textContent).toContain('Text withdrawn. Interrupted before it was complete.');
  expect(shownTurn().textContent).toContain('Interrupted by a new message');
  expect(shownTurn().querySelector('details')?.open).toBe(false);
});

test('a turn that continues from a checkpoint is marked', async () => {
  await show([STARTED[0] as EventRow, ['turn.queued', { queue_sequence: 1, checkpoint_id: 'c-1' }]]);
  expect(shownTurn().textContent).toContain('continues from a checkpoint');
});

test('a completed turn links its run and offers its answer for copying', async () => {
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  await show([...STARTED, ['message.completed', { role: 'assistant', content: 'Paid.', usage }], ['turn.completed', { usage }]]);
  expect(screen.getByRole('link', { name: 'Run of turn 1' }).getAttribute('href')).toContain('session-desk-1');
  expect(screen.getByRole('button', { name: 'Copy the answer' })).toBeDefined();
  expect(shownTurn().textContent).toContain('3 tokens');
});

test('a turn of a file links nothing, asks for no decision and sends no request', async () => {
  const get = vi.fn(answerObjects([toolApproval]).get);
  serve({ resources: { get } });
  const told: EventRow[] = [
    ['tool.started', { tool: 'pay', request_id: 'r', input: {} }],
    ['approval.requested', { kind: 'ToolApproval', name: 'ta-0', reason: 'small sum' }],
    ['approval.resolved', { kind: 'ToolApproval', name: 'ta-0', decision: 'constructor' }],
    ['approval.requested', { kind: 'ToolApproval', name: 'ta-1', reason: 'large sum' }],
  ];
  await show([...STARTED, ...told], { place: undefined });
  expect(shownTurn().textContent).toContain('Waited for a decision when it was exported');
  expect(shownTurn().textContent).toContain('Not over when it was exported');
  expect(screen.queryAllByRole('link')).toEqual([]);
  expect(screen.queryByRole('button', { name: /Decide|Approve|Deny/ })).toBeNull();
  expect(get).not.toHaveBeenCalled();
});

test('the link to a turn is its place on the page of the Session, and a conversation from a file has none', async () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const done: readonly EventRow[] = [...STARTED, ['turn.completed', {}]];
  await show(done);
  fireEvent.click(screen.getByRole('button', { name: 'Copy the link to this turn' }));
  await waitFor(() => expect(writeText).toHaveBeenCalledWith(`${window.location.origin}/n/ops/sessions/desk?turn=turn-1`));
  cleanup();
  await show(done, { place: undefined });
  expect(screen.queryByRole('button', { name: 'Copy the link to this turn' })).toBeNull();
});
