// The outside world: one HTTP server that is model and tool for every Task and records each call it receives. It belongs to the harness, so
// no kill can erase its record.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { failsOnce, finalAnswer, probeInput, probeValue, readAsk, type ModelAsk, type ProbeInput } from './play.ts';
import { hash32 } from './random.ts';

export interface LedgerCall {
  /** From 1, in order of arrival; every answer carries it, so a recorded result names its call. */
  readonly number: number;
  readonly kind: 'model' | 'tool';
  readonly requestId: string;
  readonly task: string;
  readonly agent: string;
  /** Milliseconds since the epoch. */
  readonly arrivedAt: number;
  answeredAt: number | undefined;
  /** False when the caller was gone before its answer. */
  delivered: boolean;
}

/** How long an answer takes, in milliseconds. */
export type Pace = (call: Pick<LedgerCall, 'kind' | 'requestId' | 'agent' | 'task' | 'number'>) => number;

export interface Ledger {
  readonly modelUrl: string;
  readonly toolUrl: string;
  readonly calls: readonly LedgerCall[];
  /** Calls that were not answered yet. */
  open(): LedgerCall[];
  /** Resolves when a matching call is in flight. */
  untilOpen(fits: (call: LedgerCall) => boolean): Promise<LedgerCall>;
  setPace(pace: Pace): void;
  close(): Promise<void>;
}

const SLOW_SHARE = 0.04;

/** Mostly a few milliseconds; some calls take long enough that a caller may die before its answer. */
export function seededPace(seed: number): Pace {
  return ({ requestId, number }) => {
    const draw = hash32(seed, requestId, number) / 2 ** 32;
    return draw < SLOW_SHARE ? 150 + (draw / SLOW_SHARE) * 600 : 2 + draw * 25;
  };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Server-sent chunks in place of the body; the time of the answer is spread over them. */
  readonly chunks?: readonly unknown[];
}

const PIECE_CHARS = 4;

const modelId = (number: number) => `ledger-${number}`;

/** The number of the call that a recorded model answer or tool output came from. */
export function callNumberOf(recorded: { readonly model?: unknown; readonly output?: unknown }): number | undefined {
  if (typeof recorded.model === 'string') return Number(/^ledger-(\d+)$/.exec(recorded.model)?.[1]) || undefined;
  if (typeof recorded.output !== 'string') return undefined;
  return Number(/"call":(\d+)/.exec(recorded.output)?.[1]) || undefined;
}

function modelAnswer(ask: ModelAsk, { number, streams }: { number: number; streams: boolean }): Answer {
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  const result = ask.toolResult === undefined ? undefined : (JSON.parse(ask.toolResult) as { value: string });
  const call = {
    id: `call-${ask.agent}`,
    type: 'function',
    function: { name: 'probe', arguments: JSON.stringify(probeInput(ask, ask.userText)) },
  };
  const message = result
    ? { role: 'assistant', content: finalAnswer(ask.agent, result.value) }
    : { role: 'assistant', content: null, tool_calls: [call] };
  const finish_reason = result ? 'stop' : 'tool_calls';
  const choice = { index: 0, finish_reason, message };
  return {
    status: 200,
    ...(streams && { chunks: chunksOf({ message, finish_reason, usage }, number) }),
    body: { object: 'chat.completion', model: modelId(number), choices: [choice], usage },
  };
}

interface ModelChoice {
  readonly message: { readonly content: string | null; readonly tool_calls?: readonly object[] };
  readonly finish_reason: string;
  readonly usage: object;
}

function chunksOf({ message, finish_reason, usage }: ModelChoice, number: number): object[] {
  const calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
  const pieces = (message.content ?? '').match(new RegExp(`.{1,${PIECE_CHARS}}`, 'g')) ?? [];
  const deltas = [...pieces.map((content) => ({ content })), ...(calls ? [{ tool_calls: calls }] : [])];
  const chunk = (delta: object, reason: string | null) => ({
    object: 'chat.completion.chunk',
    model: modelId(number),
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return [...deltas.map((delta) => chunk(delta, null)), { ...chunk({}, finish_reason), usage }];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

class LoopbackLedger implements Ledger {
  readonly calls: LedgerCall[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #refused = new Map<string, string>();
  readonly #waiting = new Set<(call: LedgerCall) => void>();
  readonly #server = createServer((request, response) => void this.#take(request, response).catch(() => response.destroy()));
  #pace: Pace;
  #url = '';

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#server.keepAliveTimeout = 60_000;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  get modelUrl(): string {
    return `${this.#url}/v1`;
  }

  get toolUrl(): string {
    return `${this.#url}/probe`;
  }

  setPace(pace: Pace): void {
    this.#pace = pace;
  }

  open(): LedgerCall[] {
    return this.calls.filter(({ answeredAt }) => answeredAt === undefined);
  }

  untilOpen(fits: (call: LedgerCall) => boolean): Promise<LedgerCall> {
    return new Promise((resolve) => {
      const look = (call: LedgerCall) => {
        if (!fits(call)) return;
        this.#waiting.delete(look);
        resolve(call);
      };
      const found = this.open().find(fits);
      if (found) resolve(found);
      else this.#waiting.add(look);
    });
  }

  async close(): Promise<void> {
    this.#timers.forEach(clearTimeout);
    this.#sockets.forEach((socket) => socket.destroy());
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = Date.now();
    const requestId = String(request.headers['idempotency-key'] ?? '');
    const body = JSON.parse(await bodyOf(request)) as unknown;
    const number = this.calls.length + 1;
    const seen = request.url === '/probe' ? this.#tool(body as ProbeInput, number) : this.#model(body, { number, requestId });
    const call: LedgerCall = { number, requestId, arrivedAt, answeredAt: undefined, delivered: false, ...seen.about };
    this.calls.push(call);
    this.#waiting.forEach((look) => look(call));
    const { status, body: whole, chunks } = seen.answer;
    const pace = this.#pace(call);
    if (chunks) await this.#speak(response, chunks, pace);
    else await this.#pause(pace);
    call.answeredAt = Date.now();
    call.delivered = !response.destroyed;
    if (response.destroyed) return;
    if (chunks) response.end('data: [DONE]\n\n');
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
  }

  async #speak(response: ServerResponse, chunks: readonly unknown[], paceMs: number): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) {
      await this.#pause(paceMs / chunks.length);
      if (!response.destroyed) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.add(timer);
    });
  }

  #tool(input: ProbeInput, number: number) {
    const { task, agent } = input;
    const answer: Answer = { status: 200, body: { value: probeValue(input), call: number } };
    return { about: { kind: 'tool' as const, task, agent }, answer };
  }

  #model(body: unknown, { number, requestId }: { number: number; requestId: string }) {
    const { messages, stream: streams = false } = body as { messages: { role: string; content: string | null }[]; stream?: boolean };
    const ask = readAsk(messages);
    const { task, agent } = ask;
    return {
      about: { kind: 'model' as const, task, agent },
      answer: this.#refuses(ask, requestId) ? refusal : modelAnswer(ask, { number, streams }),
    };
  }

  /** Every request with the first id of a flaky agent is refused; that of the next attempt is answered. */
  #refuses(ask: ModelAsk, requestId: string): boolean {
    if (!failsOnce(ask)) return false;
    const key = `${ask.task}/${ask.agent}`;
    const refused = this.#refused.get(key) ?? requestId;
    this.#refused.set(key, refused);
    return refused === requestId;
  }
}

const refusal: Answer = { status: 503, body: { error: { message: 'overloaded', type: 'server_error' } } };

export async function startLedger(pace: Pace): Promise<Ledger> {
  return new LoopbackLedger(pace).listen();
}
