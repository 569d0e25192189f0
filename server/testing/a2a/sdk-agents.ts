// Agents on the official servers of A2A 0.3 and 1.0, unmodified, which behave as the text of the message says.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import * as v03 from 'a2a-sdk-03/server';
import * as v03http from 'a2a-sdk-03/server/express';
import { Role, TaskState } from 'a2a-sdk-10';
import * as v1 from 'a2a-sdk-10/server';
import * as v1http from 'a2a-sdk-10/server/express';

export interface SdkAgent {
  readonly url: string;
  /** Tasks whose cancel came in. */
  readonly canceled: string[];
  readonly close: () => Promise<void>;
}

type State = 'working' | 'input-required' | 'failed' | 'completed';
type Step =
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'status'; readonly state: State; readonly text?: string }
  | { readonly kind: 'text'; readonly text: string; readonly append: boolean }
  /** The number of parts that came, and a file. */
  | { readonly kind: 'data' }
  | { readonly kind: 'never' };

async function* behaviour(text: string): AsyncGenerator<Step> {
  if (text === 'reply') return void (yield { kind: 'reply', text: 'a reply' });
  yield { kind: 'status', state: 'working', text: 'on it' };
  if (text === 'hang') return void (yield { kind: 'never' });
  if (text === 'slow') await new Promise((resolve) => setTimeout(resolve, 300));
  if (text === 'ask') return void (yield { kind: 'status', state: 'input-required', text: 'Which port?' });
  if (text === 'fail') return void (yield { kind: 'status', state: 'failed', text: 'out of coal' });
  if (text === 'data') yield { kind: 'data' };
  else {
    yield { kind: 'text', text: 'you said ', append: false };
    yield { kind: 'text', text, append: true };
  }
  yield { kind: 'status', state: 'completed' };
}

async function listen(register: (app: express.Express, url: string) => void): Promise<Pick<SdkAgent, 'url' | 'close'>> {
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  register(app, url);
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url, close };
}

const CARD_PATH = '/.well-known/agent-card.json';
const skill = { id: 'talk', name: 'Talk', description: 'Talks.', tags: ['talk'] };

// ---------------------------------------------------------------- A2A 0.3

type EventV03 = Parameters<v03.ExecutionEventBus['publish']>[0];

function eventV03(step: Step, { taskId, contextId, userMessage }: v03.RequestContext): EventV03 {
  const ids = { taskId, contextId };
  const says = (text: string) => ({
    ...{ kind: 'message' as const, role: 'agent' as const, messageId: `m-${text}`, contextId },
    parts: [{ kind: 'text' as const, text }],
  });
  if (step.kind === 'reply') return says(step.text);
  if (step.kind === 'status') {
    const { state, text } = step;
    return { kind: 'status-update', ...ids, final: state !== 'working', status: { state, ...(text && { message: says(text) }) } };
  }
  if (step.kind === 'text')
    return {
      kind: 'artifact-update',
      ...ids,
      append: step.append,
      artifact: { artifactId: 'a', parts: [{ kind: 'text', text: step.text }] },
    };
  const file = { name: 'f.txt', mimeType: 'text/plain', bytes: 'aGk=' };
  const parts = [
    { kind: 'data' as const, data: { got: userMessage.parts.length } },
    { kind: 'file' as const, file },
  ];
  return { kind: 'artifact-update', ...ids, artifact: { artifactId: 'd', parts } };
}

export async function startAgentV03(): Promise<SdkAgent> {
  const canceled: string[] = [];
  const running = new Map<string, () => void>();
  const executor: v03.AgentExecutor = {
    async execute(context, bus) {
      const { taskId: id, contextId, userMessage } = context;
      const [part] = userMessage.parts;
      let isOpen = false;
      for await (const step of behaviour(part?.kind === 'text' ? part.text : '')) {
        if (step.kind === 'never') return new Promise<void>((resolve) => running.set(id, resolve));
        if (!isOpen && step.kind !== 'reply')
          bus.publish({ kind: 'task', id, contextId, status: { state: 'submitted' }, history: [userMessage] });
        isOpen = true;
        bus.publish(eventV03(step, context));
      }
      bus.finished();
    },
    cancelTask(taskId, bus) {
      canceled.push(taskId);
      running.get(taskId)?.();
      bus.publish({ kind: 'status-update', taskId, contextId: 'c', final: true, status: { state: 'canceled' } });
      bus.finished();
      return Promise.resolve();
    },
  };
  const server = await listen((app, url) => {
    const card = {
      ...{
        name: 'Old',
        description: 'Speaks 0.3.',
        protocolVersion: '0.3.0',
        version: '1',
        url: `${url}/rpc`,
        preferredTransport: 'JSONRPC',
      },
      ...{ skills: [skill], capabilities: { streaming: true }, defaultInputModes: ['text'], defaultOutputModes: ['text'] },
    };
    const requestHandler = new v03.DefaultRequestHandler(card, new v03.InMemoryTaskStore(), executor);
    app.use(CARD_PATH, v03http.agentCardHandler({ agentCardProvider: requestHandler }));
    app.use('/rpc', v03http.jsonRpcHandler({ requestHandler, userBuilder: v03http.UserBuilder.noAuthentication }));
  });
  return { ...server, canceled };
}

// ---------------------------------------------------------------- A2A 1.0

const STATES = {
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  failed: TaskState.TASK_STATE_FAILED,
  completed: TaskState.TASK_STATE_COMPLETED,
} as const;

const partV1 = <Content>(content: Content, filename = '', mediaType = '') => ({ content, metadata: undefined, filename, mediaType });
const textV1 = (value: string) => partV1({ $case: 'text' as const, value });

function eventV1(step: Step, { taskId, contextId, userMessage }: v1.RequestContext): v1.AgentExecutionEvent {
  const ids = { taskId, contextId, metadata: undefined };
  const says = (text: string) => ({
    ...{ ...ids, taskId: '', messageId: `m-${text}`, role: Role.ROLE_AGENT, extensions: [], referenceTaskIds: [] },
    parts: [textV1(text)],
  });
  if (step.kind === 'reply') return v1.AgentEvent.message(says(step.text));
  if (step.kind === 'status') {
    const { state, text } = step;
    return v1.AgentEvent.statusUpdate({
      ...ids,
      status: { state: STATES[state], message: text ? says(text) : undefined, timestamp: undefined },
    });
  }
  const parts =
    step.kind === 'text'
      ? [textV1(step.text)]
      : [
          partV1({ $case: 'data' as const, value: { got: userMessage.parts.length } }),
          partV1({ $case: 'raw' as const, value: Buffer.from('hi') }, 'f.txt', 'text/plain'),
        ];
  const artifact = { artifactId: 'a', name: '', description: '', metadata: undefined, extensions: [], parts };
  return v1.AgentEvent.artifactUpdate({ ...ids, append: step.kind === 'text' && step.append, lastChunk: false, artifact });
}

export async function startAgentV1(): Promise<SdkAgent> {
  const canceled: string[] = [];
  const running = new Map<string, () => void>();
  const at = (state: TaskState) => ({ state, message: undefined, timestamp: undefined });
  const executor: v1.AgentExecutor = {
    async execute(context, bus) {
      const { taskId: id, contextId, userMessage } = context;
      const [part] = userMessage.parts;
      let isOpen = false;
      for await (const step of behaviour(part?.content?.$case === 'text' ? part.content.value : '')) {
        if (step.kind === 'never') return new Promise<void>((resolve) => running.set(id, resolve));
        if (!isOpen && step.kind !== 'reply')
          bus.publish(
            v1.AgentEvent.task({
              ...{ id, contextId, artifacts: [], history: [userMessage], metadata: undefined },
              status: at(TaskState.TASK_STATE_SUBMITTED),
            }),
          );
        isOpen = true;
        bus.publish(eventV1(step, context));
      }
      bus.finished();
    },
    cancelTask(taskId, bus) {
      canceled.push(taskId);
      running.get(taskId)?.();
      bus.publish(v1.AgentEvent.statusUpdate({ taskId, contextId: 'c', metadata: undefined, status: at(TaskState.TASK_STATE_CANCELED) }));
      bus.finished();
      return Promise.resolve();
    },
  };
  const server = await listen((app, url) => {
    const card = {
      ...{ name: 'New', description: 'Speaks 1.0.', version: '1', provider: undefined, documentationUrl: '', iconUrl: '' },
      supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
      capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
      ...{ securitySchemes: {}, securityRequirements: [], signatures: [], defaultInputModes: ['text'], defaultOutputModes: ['text'] },
      skills: [{ ...skill, examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
    };
    const requestHandler = new v1.DefaultRequestHandler(card, new v1.InMemoryTaskStore(), executor);
    app.use(CARD_PATH, v1http.agentCardHandler({ agentCardProvider: requestHandler }));
    app.use('/rpc', v1http.jsonRpcHandler({ requestHandler, userBuilder: v1http.UserBuilder.noAuthentication }));
  });
  return { ...server, canceled };
}
