// The birth of turns in the folded state.
import { invariant } from '@svc/shared/errors';
import type { ChatMessage } from '../ports.ts';
import type { AttemptState, Message, StepState, TurnState } from './state.ts';

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
    labels: {},
    lastContent: '',
    lastAnswer: '',
    failure: undefined,
    violationSeen: false,
    warned: false,
  } satisfies Partial<TurnState>;
}

/**
 * What a turn takes into the next try of its message: every step that is complete, so that nothing that succeeded is done again. Only
 * the step that failed is made anew.
 */
export function nextTry(turn: TurnState): Partial<TurnState> {
  const { step, transcript, succeededCalls } = turn;
  if (!step || denies(turn, step)) return freshTry();
  if (isComplete(step)) return { ...freshTry(), ...kept(turn, transcript), step, firstToolOutput: turn.firstToolOutput };
  if (step.agentStep === 1) return { ...freshTry(), succeededCalls };
  const answered = step.phase === 'model_requested' ? transcript.length : transcript.findLastIndex(({ role }) => role === 'assistant');
  const before: StepState = { ...step, agentStep: step.agentStep - 1, requestId: '', phase: 'calling', content: '', calls: [], open: 0 };
  return { ...freshTry(), ...kept(turn, transcript.slice(0, answered)), step: before };
}

function kept({ succeededCalls, labels, lastContent, lastAnswer, violationSeen, warned }: TurnState, transcript: ChatMessage[]) {
  const succeeded = transcript.flatMap((message) => (message.role === 'tool' && !message.isError ? [message.toolName] : []));
  return { succeededCalls, labels, lastContent, lastAnswer, violationSeen, warned, transcript, succeededTools: new Set(succeeded) };
}

/** All its calls have their results, or the model was reminded of its contract: what follows is another step. */
function isComplete({ phase, open }: StepState): boolean {
  return phase === 'calling' && open === 0;
}

/** Under `deny` the results of a step that is made anew could be neither asked for again nor seen. */
function denies({ agent }: TurnState, step: StepState): boolean {
  return agent.duplicateToolCalls === 'deny' && !isComplete(step) && step.calls.some(({ phase }) => phase === 'done');
}
