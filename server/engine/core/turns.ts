// The birth of turns in the folded state.
import { invariant } from '@svc/shared/errors';
import type { ChatMessage } from '../ports.ts';
import { loseStep } from './call-state.ts';
import type { AttemptState, Message, ReviewTrack, StepState, TurnState } from './state.ts';

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
  const review = { review: newTrack(), stepsBefore: 0, priorLabels: {} };
  attempt.turns.set(turn.id, {
    ...turn,
    agent,
    phase: 'queued',
    messageAttempt: 0,
    nextAttemptAt: 0,
    startedAt: 0,
    ...review,
    ...freshTry(),
  });
}

export function newTrack(): ReviewTrack {
  return { current: undefined, asked: 0, cycle: 0, last: undefined };
}

/** State of a turn at the start of each try of its message. */
function freshTry() {
  return {
    waitedMs: 0,
    waitEndedAt: 0,
    awaitingSince: undefined,
    step: undefined,
    transcript: [] as ChatMessage[],
    succeededCalls: new Map<string, string>(),
    succeededTools: new Set<string>(),
    firstToolOutput: undefined,
    stop: undefined,
    labels: {},
    lastContent: '',
    lastAnswer: '',
    failure: undefined,
    violationSeen: false,
    warned: false,
  } satisfies Partial<TurnState>;
}

/**
 * State that a turn takes into the next try of its message: everything it has done. A step that was cut off among its tool calls continues
 * with those that have no result, under the same request ids; a step that failed at the model sends a new model request.
 */
export function nextTry(turn: TurnState): Partial<TurnState> {
  const { step, transcript } = turn;
  if (!step || (step.phase !== 'calling' && step.agentStep === 1)) return freshTry();
  const { succeededCalls, succeededTools, labels, lastContent, lastAnswer, violationSeen, warned } = turn;
  const done = { ...freshTry(), succeededCalls, succeededTools, labels, lastContent, lastAnswer, violationSeen, warned };
  loseStep(step);
  if (step.phase === 'calling') return { ...done, transcript, step, firstToolOutput: turn.firstToolOutput };
  const before: StepState = { ...step, agentStep: step.agentStep - 1, requestId: '', phase: 'calling', content: '', calls: [], open: 0 };
  return { ...done, transcript: step.phase === 'answered' ? transcript.slice(0, -1) : transcript, step: before };
}
