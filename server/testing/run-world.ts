// Fixture for tests of whole runs: a svcd of its own process, a fake model server scripted by model name, and fake tools scripted by path.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kindByName } from '@svc/shared/kinds';
import { json, startLoopbackServer, type Answer, type LoopbackServer, type SeenRequest } from './loopback-server.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A tool call as a model writes it: name, input, id. */
type Call = readonly [name: string, input: unknown, id: string];
/** One answer of a model: its text, its tool calls, or anything at all. */
export type ModelStep = string | readonly Call[] | Answer;

export interface RunTask {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: Readonly<Record<string, unknown>> & {
    readonly phase: string;
    readonly reason?: string;
    readonly lastError?: string;
    readonly output?: Readonly<Record<string, string>>;
    readonly trace: readonly Readonly<Record<string, unknown>>[];
    readonly history: readonly { readonly type: string }[];
    readonly messages: readonly Readonly<Record<string, unknown>>[];
    readonly join_states: readonly Readonly<Record<string, unknown>>[];
  };
}

export interface RunWorld {
  readonly url: () => string;
  request(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Creates or replaces an object; anything but success throws. */
  put(kind: string, name: string, spec: object): Promise<void>;
  /** A system of the same name with these agents; agents name their models and tools. */
  system(name: string, agents: Readonly<Record<string, object>>, spec?: object): Promise<void>;
  /** A ModelEndpoint on the fake model server, which plays one step for each answer already in the conversation; the last one repeats. */
  model(name: string, ...steps: readonly ModelStep[]): Promise<void>;
  /** A Tool on the fake tool server, which answers call after call; the last answer repeats. */
  tool(name: string, answers: readonly Answer[], spec?: object): Promise<void>;
  /** Waits for the end of a Task. */
  ended(name: string): Promise<RunTask>;
  /** Starts a Task and waits for its end. */
  run(name: string, spec: object): Promise<RunTask>;
  modelCalls(model: string): readonly SeenRequest[];
  toolCalls(tool: string): readonly SeenRequest[];
  /** Waits until this model or tool has been called n times. */
  called(name: string, times: number): Promise<void>;
  /** Ends svcd and starts it again on the same data. Returns the exit code of the old one. */
  restart(signal: NodeJS.Signals): Promise<number | null>;
  close(): Promise<void>;
}

export const SECRET = 'sk-a-very-secret-value';

export const chatOf = (request: SeenRequest): ChatRequest => JSON.parse(request.body) as ChatRequest;

function completion(step: string | readonly Call[]): unknown {
  const calls = typeof step === 'string' ? [] : step;
  const tool_calls = calls.map(([name, input, id]) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }));
  const message = typeof step === 'string' ? { role: 'assistant', content: step } : { role: 'assistant', content: null, tool_calls };
  return {
    object: 'chat.completion',
    model: 'fake',
    choices: [{ index: 0, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop', message }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  };
}

/** A server whose requests are answered by `answer`, and that counts the calls of each name. */
async function startNamedServer(nameOf: (request: SeenRequest) => string, answer: (name: string) => Answer) {
  const waiting = new Set<() => void>();
  const server: LoopbackServer = await startLoopbackServer((response, request) => {
    waiting.forEach((check) => check());
    answer(nameOf(request))(response, request);
  });
  const calls = (name: string) => server.seen.filter((request) => nameOf(request) === name);
  const called = (name: string, times: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (calls(name).length < times) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { server, calls, called };
}

/** Plays one step for each answer of the model that the conversation holds already. */
function play(steps: readonly ModelStep[]): Answer {
  return (response, request) => {
    const answered = chatOf(request).messages.filter(({ role }) => role === 'assistant').length;
    const step = steps[Math.min(answered, steps.length - 1)] ?? '';
    (typeof step === 'function' ? step : json(completion(step)))(response, request);
  };
}

/** `env` is what the process sees besides PATH. */
export async function startRunWorld(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RunWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svcd-runs-'));
  const scripts = new Map<string, readonly ModelStep[]>();
  const answers = new Map<string, Answer[]>();
  const nextAnswer = (name: string): Answer => {
    const left = answers.get(name) ?? [];
    return (left.length > 1 ? left.shift() : left[0]) ?? json({ ok: true });
  };
  const models = await startNamedServer(
    (request) => chatOf(request).model,
    (name) => play(scripts.get(name) ?? []),
  );
  const tools = await startNamedServer(({ path }) => path.slice(1), nextAnswer);
  let server: ServerProcess = await startServerProcess({ args, dataDir, env });
  const request: RunWorld['request'] = async (method, path, body) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const put: RunWorld['put'] = async (kind, name, spec) => {
    const { status, body } = await request('POST', `/v1/${kindByName(kind)?.plural}?fieldValidation=Strict`, { metadata: { name }, spec });
    if (status >= 300) throw new Error(`${kind} ${name}: ${JSON.stringify(body)}`);
  };
  const ended: RunWorld['ended'] = async (name) => {
    // The stream of the trace ends with the Task.
    await (await fetch(`${server.url}/v1/tasks/${name}/trace/stream`)).text();
    return (await request('GET', `/v1/tasks/${name}`)).body as RunTask;
  };
  await put('Secret', 'key', { stringData: { value: SECRET } });
  return {
    url: () => server.url,
    request,
    put,
    async system(name, agents, spec = {}) {
      for (const [agent, fields] of Object.entries(agents)) await put('Agent', agent, fields);
      await put('AgentSystem', name, { agents: Object.keys(agents), ...spec });
    },
    model(name, ...steps) {
      scripts.set(name, steps);
      const base_url = `${models.server.url}/v1`;
      return put('ModelEndpoint', name, {
        provider: 'openai',
        base_url,
        default_model: name,
        allowPrivate: true,
        auth: { secretRef: 'key' },
      });
    },
    tool(name, given, spec = {}) {
      answers.set(name, [...given]);
      return put('Tool', name, { endpoint: `${tools.server.url}/${name}`, ...spec });
    },
    ended,
    async run(name, spec) {
      await put('Task', name, spec);
      return ended(name);
    },
    modelCalls: models.calls,
    toolCalls: tools.calls,
    called: (name, times) => (scripts.has(name) ? models : tools).called(name, times),
    async restart(signal) {
      const code = await server.end(signal);
      server = await startServerProcess({ args, dataDir, env });
      return code;
    },
    async close() {
      await server.end();
      await Promise.all([models.server.close(), tools.server.close()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
