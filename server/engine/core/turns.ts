// The birth of turns in the folded state.
import { invariant } from '@svc/shared/errors';
import type { ChatMessage } from '../ports.ts';
import type { AttemptState, Message, TurnState } from './state.ts';

interface NewTurn {
  readonly id: string;
  readonly agent: string;
  readonly branchId: string;
  readonly depth: number;
  readonly inbox: readonly Message[];
  readonly failedSources: TurnState['failedSources'];
}

export function openTurn(attempt: AttemptState, { agent: name, ...turn }: NewTurn): void {
  const agent = attempt.snapshot.agents[name];
  invariant(agent, `agent ${name} is not in the snapshot`);
  attempt.turns.set(turn.id, { ...turn, agent, phase: 'queued', messageAttempt: 0, nextAttemptAt: 0, startedAt: 0, ...freshTry() });
}

/** What a turn knows at the start of each try of its message. */
export function freshTry() {
  return {
    waitedMs: 0,
    waitEndedAt: 0,
    awaitingSince: undefined,
    step: undefined,
    transcript: [] as ChatMessage[],
    succeededCalls: new Map<string, string>(),
    succeededTools: new Set<string>(),
    firstToolOutput: undefined,
    labels: {},
    lastContent: '',
    lastAnswer: '',
    failure: undefined,
    violationSeen: false,
    warned: false,
  } satisfies Partial<TurnState>;
}
