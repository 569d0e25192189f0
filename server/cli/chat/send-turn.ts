// One message without a conversation around it: sent, followed to the end of its turn, its answer printed.
import type { SessionEvent, Turn } from '@svc/shared/api/sessions';
import { EXIT } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { decideCommand } from '../output/step-view.ts';
import { submitTurn, type Message, type SessionHandle } from '../api/session-api.ts';
import { programIn } from '../api/task-runs.ts';
import { exitCodeOf, followTurn, type TurnEnd } from './follow-turn.ts';
import { createTranscript, type TranscriptSink } from './transcript.ts';
import { watchInterrupts } from './turn-interrupts.ts';

export interface SentTurn {
  readonly turn: Turn;
  readonly exitCode: number;
  /** Sequence number of the last event that was read. */
  readonly lastSeq: number;
}

export interface Sending {
  readonly message: Message;
  /** Sequence number of an event before the message. */
  readonly after: number;
  readonly sink: TranscriptSink;
}

const ENDED: Readonly<Partial<Record<Turn['phase'], TurnEnd>>> = {
  Succeeded: 'turn.completed',
  Failed: 'turn.failed',
  Cancelled: 'turn.cancelled',
};

/** Approvals are left to others; how to decide them is printed. Ctrl-C interrupts the turn, twice leaves it running. */
export async function sendAndFollow(invocation: Invocation, session: SessionHandle, { message, after, sink }: Sending): Promise<SentTurn> {
  const turn = await submitTurn(session, message);
  const ended = ENDED[turn.phase];
  if (ended) {
    if (turn.output) sink.answer(turn.output.last_output);
    if (turn.last_error !== undefined) sink.lines(`${invocation.errorStyle.bad('✗')} ${turn.last_error}`);
    return { turn, exitCode: exitCodeOf(ended), lastSeq: after };
  }
  const program = await programIn(invocation);
  const transcript = createTranscript({
    sink,
    style: invocation.errorStyle,
    columns: invocation.terminal.stderr.columns,
    isOwn: (id) => id === turn.id,
  });
  const show = (event: SessionEvent) => {
    if (event.turn_id !== undefined && event.turn_id !== turn.id) return;
    transcript(event);
    if (event.type !== 'approval.requested') return;
    const approval = { approval: String(event.payload['name']), unknownOutcome: event.payload['reason'] === 'unknown_outcome' };
    sink.lines(`  ${invocation.errorStyle.accent(`${program} ${decideCommand(approval)}`)}`);
  };
  const interrupts = watchInterrupts(invocation, session, turn.id);
  try {
    const onLost = (error: Error) => invocation.warn(`${error.message}; reconnecting`);
    const { signal } = interrupts;
    const { end, lastSeq } = await followTurn(session, { turnId: turn.id, after, signal, show, endsAtPause: false, onLost });
    if (end === undefined) invocation.note(`Detached; the turn continues: ${program} chat session/${session.name}`);
    return { turn, exitCode: interrupts.pressed() > 0 ? EXIT.interrupted : exitCodeOf(end), lastSeq };
  } finally {
    interrupts.release();
  }
}
