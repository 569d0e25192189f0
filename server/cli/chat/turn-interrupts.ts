// Ctrl-C during a turn: the first one interrupts the turn, the second one leaves.
import { CliError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { activeTurn, interruptTurn, type SessionHandle } from '../api/session-api.ts';

export interface TurnInterrupts {
  /** Aborted when the person leaves. */
  readonly signal: AbortSignal;
  readonly press: () => void;
  /** How often Ctrl-C was pressed. */
  readonly pressed: () => number;
  readonly release: () => void;
}

export function watchInterrupts(invocation: Invocation, session: SessionHandle, turnId: string): TurnInterrupts {
  const leaving = new AbortController();
  let pressed = 0;
  const press = () => {
    pressed += 1;
    if (pressed > 1) return leaving.abort();
    interrupt(session, turnId).catch((error: unknown) => invocation.warn(error instanceof Error ? error.message : String(error)));
  };
  const release = invocation.terminal.onInterrupt(press);
  return { signal: leaving.signal, press, pressed: () => pressed, release };
}

async function interrupt(session: SessionHandle, turnId: string): Promise<void> {
  const turn = await activeTurn(session);
  if (turn?.id !== turnId) throw new CliError('the turn waits for an earlier turn; press Ctrl-C again to leave it in the queue');
  await interruptTurn(session, turn, 'interrupted by Ctrl-C');
}
