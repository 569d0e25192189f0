// Work of the three-agent systems and its expected result: the declared objects, the answers of the fake model and tool, and the
// expected output of a Task computed from its input alone. Pure; the formats it expects are those of docs/engine.md.
import { createHash } from 'node:crypto';

export interface TaskPlan {
  readonly name: string;
  readonly system: SystemName;
  readonly input: Readonly<Record<string, string>>;
  /** Its second agent's first model call is refused in the first attempt, so it takes two. */
  readonly flaky: boolean;
  /** Its workers die with it until it is dead-lettered. */
  readonly poison?: boolean;
}

/** `chain`: one agent after the other. `join`: two at once and one that waits for both. */
export type SystemName = 'chain' | 'join';

const AGENTS = ['plan', 'work', 'sum', 'left', 'right', 'merge'] as const;
/** The agent whose model call fails once in flaky Tasks. */
const FLAKY_AGENTS: ReadonlySet<string> = new Set(['work', 'left']);
export const MAX_ATTEMPTS = 2;

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

export interface Endpoints {
  readonly model: string;
  readonly tool: string;
}

/** Everything the Tasks need, for one apply. */
export function declarations({ model, tool }: Endpoints): object[] {
  const agent = (name: string) => ({
    kind: 'Agent',
    metadata: { name },
    spec: { model_ref: 'ledger', prompt: `agent: ${name}`, tools: ['probe'] },
  });
  return [
    {
      kind: 'ModelEndpoint',
      metadata: { name: 'ledger' },
      spec: {
        provider: 'gateway-a-compatible',
        base_url: model,
        default_model: 'ledger',
        allowPrivate: true,
        options: { stream: 'false' },
      },
    },
    // Streams its answers.
    {
      kind: 'ModelEndpoint',
      metadata: { name: 'speaker' },
      spec: { provider: 'gateway-a-compatible', base_url: model, default_model: 'ledger', allowPrivate: true },
    },
    { kind: 'Agent', metadata: { name: 'speak' }, spec: { model_ref: 'speaker', prompt: 'agent: speak', tools: ['probe'] } },
    { kind: 'AgentSystem', metadata: { name: 'talk' }, spec: { agents: ['speak'] } },
    { kind: 'Tool', metadata: { name: 'probe' }, spec: { type: 'http', endpoint: tool } },
    ...AGENTS.map(agent),
    {
      kind: 'AgentSystem',
      metadata: { name: 'chain' },
      spec: { agents: ['plan', 'work', 'sum'], graph: { plan: { next: 'work' }, work: { next: 'sum' }, sum: {} } },
    },
    {
      kind: 'AgentSystem',
      metadata: { name: 'join' },
      spec: { agents: ['left', 'right', 'merge'], graph: { left: { next: 'merge' }, right: { next: 'merge' }, merge: {} } },
    },
  ];
}

export function taskBody(plan: TaskPlan): object {
  const { name, system, input, flaky } = plan;
  return {
    kind: 'Task',
    metadata: { name, labels: { flaky: String(flaky) } },
    spec: { system, input, retry: { max_attempts: MAX_ATTEMPTS, backoff: '20ms' } },
  };
}

export const expectedAttempts = ({ flaky }: TaskPlan): number => (flaky ? 2 : 1);

// ---------------------------------------------------------------- answers of the model and the tool

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
}

/** Subject of a model request, read from its messages. */
export interface ModelAsk {
  readonly agent: string;
  readonly task: string;
  readonly flaky: boolean;
  readonly userText: string;
  /** Answer of the tool, once it was called. */
  readonly toolResult: string | undefined;
}

export function readAsk(messages: readonly ChatMessage[]): ModelAsk {
  const textOf = (role: string) => messages.findLast((message) => message.role === role)?.content ?? undefined;
  const userText = textOf('user') ?? '';
  return {
    agent: /^agent: (\S+)$/m.exec(textOf('system') ?? '')?.[1] ?? '?',
    task: /^task: (\S+)$/m.exec(userText)?.[1] ?? taskOfTurn(userText),
    flaky: /^flaky: true$/m.test(userText),
    userText,
    toolResult: textOf('tool'),
  };
}

/** Task of a turn of a Session, by the values that its input has besides the message. */
function taskOfTurn(userText: string): string {
  const session = /^session_id: (\S+)$/m.exec(userText)?.[1];
  const turn = /^turn_id: (\S+)$/m.exec(userText)?.[1];
  return session === undefined || turn === undefined ? '?' : `session-${session}-${turn.slice(-16)}`;
}

/** Whether this agent's first call fails in the first attempt. */
export const failsOnce = (ask: ModelAsk): boolean => ask.flaky && FLAKY_AGENTS.has(ask.agent) && ask.toolResult === undefined;

export interface ProbeInput {
  readonly task: string;
  readonly agent: string;
  /** A digest of everything the agent received. */
  readonly given: string;
}

export const probeInput = ({ agent, task }: Pick<ModelAsk, 'agent' | 'task'>, userText: string): ProbeInput => ({
  task,
  agent,
  given: digest(userText),
});

export const probeValue = ({ task, agent, given }: ProbeInput): string => digest(`${task}/${agent}/${given}`);

export const finalAnswer = (agent: string, value: string): string => `${agent} found ${value}`;

// ---------------------------------------------------------------- expected results

const inputText = (input: TaskPlan['input']) =>
  Object.entries(input)
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n');

const turnOutput = (plan: TaskPlan, agent: string, userText: string) =>
  finalAnswer(agent, probeValue(probeInput({ agent, task: plan.name }, userText)));

/** `status.output.last_output` of the Task, whatever faults occurred. */
export function expectedOutput(plan: TaskPlan): string {
  const input = inputText(plan.input);
  const inputOf = (...sections: readonly (readonly [from: string, content: string])[]) =>
    [`# Task input\n${input}`, ...sections.map(([from, content]) => `# From ${from}\n${content}`)].join('\n\n');
  if (plan.system === 'join') {
    const left = turnOutput(plan, 'left', input);
    const right = turnOutput(plan, 'right', input);
    return turnOutput(plan, 'merge', inputOf(['left', left], ['right', right]));
  }
  const first = turnOutput(plan, 'plan', input);
  const second = turnOutput(plan, 'work', inputOf(['plan', first]));
  return turnOutput(plan, 'sum', inputOf(['work', second]));
}
