// Calls of remote agents: a message is sent, the task is followed by its stream or by polling until it has ended or requires input, and
// is canceled when the caller goes away. The tool runtime uses it through the port AgentCalls.
import { dialectOf } from '@svc/shared/a2a-version';
import { timeLimit, type Clock } from '../../clock.ts';
import { orAborted } from '../../egress/deadline.ts';
import type { Egress } from '../../egress/egress.ts';
import { CallError } from '../../engine/ports.ts';
import type { AgentCall, AgentCalls, AgentOutcome } from '../../tools/a2a/a2a-tool.ts';
import { isInterrupted, isTerminal, type Dialect, type Message } from '../model.ts';
import type { AgentRoute } from './card.ts';
import { chooseRoute, bareRoute } from './card.ts';
import type { AgentDirectory, KnownAgent } from './directory.ts';
import {
  AgentRpcError,
  callMethod,
  isUnknownMethod,
  isUnsupported,
  malformed,
  rpcFailure,
  streamMethod,
  type AgentConnection,
} from './exchange.ts';
import { CANCEL_MAX_MS, LINGER_MS, nextPollMs, POLL_FAILURES_MAX, POLL_FIRST_MS } from './limits.ts';
import { applyUpdate, readAnswer, textOf, type TaskUpdate } from './read-answer.ts';
import { cancelRequest, getRequest, sendRequest } from './requests.ts';

export interface AgentCallsOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly directory: Pick<AgentDirectory, 'find' | 'learn'>;
  readonly allowPrivate: boolean;
  readonly permittedBy: string;
}

export interface ClosableAgentCalls extends AgentCalls {
  /** Waits for cancellations in flight. Idempotent. */
  close(): Promise<void>;
}

export function createAgentCalls(options: AgentCallsOptions): ClosableAgentCalls {
  const background = new Set<Promise<unknown>>();
  return {
    async call(call) {
      const { directory } = options;
      const agent = await directory.find(call);
      const { dialects, ...route } = routeOf(agent, call);
      for (const [index, dialect] of dialects.entries()) {
        const conversation = new Conversation(connect(options, call, { route, dialect }), call, background);
        try {
          const outcome = await conversation.run(route.streaming && call.preferStreaming);
          if (dialects.length > 1) directory.learn(call, dialect);
          return outcome;
        } catch (error) {
          if (isUnknownMethod(error) && index < dialects.length - 1) continue;
          throw error instanceof AgentRpcError ? rpcFailure(error, call.what) : error;
        }
      }
      throw new Error('a route has no dialect');
    },
    async close() {
      await Promise.allSettled(background);
    },
  };
}

/** Throws CallError. */
export function routeOf(
  agent: KnownAgent,
  { url, protocolVersion, what }: Pick<AgentCall, 'url' | 'protocolVersion' | 'what'>,
): AgentRoute {
  const wanted = protocolVersion === undefined ? undefined : dialectOf(protocolVersion);
  if (protocolVersion !== undefined && wanted === undefined) {
    const message = `${what} has spec.a2a.protocol_version "${protocolVersion.slice(0, 40)}", which is not supported; use 1.0, 0.3 or spec`;
    throw new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'invalid_tool' });
  }
  const { card, learned } = agent;
  const route = card === undefined ? bareRoute(url, wanted) : chooseRoute(card, wanted);
  if (typeof route === 'string')
    throw new CallError('execution_failed', `The agent of ${what} ${route}`, { retryable: false, reason: 'no_common_protocol' });
  return learned !== undefined && route.dialects.includes(learned) ? { ...route, dialects: [learned] } : route;
}

type Place = { readonly route: Omit<AgentRoute, 'dialects'>; readonly dialect: Dialect };

/** Credentials are those of the origin of `agent_url`: an address elsewhere, which a card may name, gets none. Throws CallError. */
export function connect(
  options: Pick<AgentCallsOptions, 'egress' | 'clock' | 'allowPrivate' | 'permittedBy'>,
  call: Pick<AgentCall, 'url' | 'credentials' | 'what'>,
  { route, dialect }: Place,
): AgentConnection {
  const { egress, clock, allowPrivate, permittedBy } = options;
  const { url, tenant } = route;
  const refuse = (problem: string) =>
    new CallError('egress_blocked', `The card of ${call.what} names an address that ${problem}`, {
      retryable: false,
      reason: 'url_refused',
    });
  if (!URL.canParse(url)) throw refuse('cannot be parsed');
  const [own, target] = [new URL(call.url), new URL(url)];
  if (own.protocol === 'https:' && target.protocol === 'http:') throw refuse('leads from https to http');
  const isOwn = own.origin === target.origin;
  return {
    ...{ egress, clock, allowPrivate, permittedBy, url, dialect, what: call.what },
    credentials: isOwn ? call.credentials : {},
    ...(!isOwn && Object.keys(call.credentials).length > 0 && { withheldFor: own.origin }),
    ...(tenant !== undefined && { tenant }),
  };
}

/** One message and the task that it starts. */
class Conversation {
  readonly #connection: AgentConnection;
  readonly #call: AgentCall;
  readonly #background: Set<Promise<unknown>>;
  #task: TaskUpdate = {};
  #shown = '';

  constructor(connection: AgentConnection, call: AgentCall, background: Set<Promise<unknown>>) {
    this.#connection = connection;
    this.#call = call;
    this.#background = background;
  }

  /** Rejects with AgentRpcError while nothing has begun, with CallError, or with the signal's reason. */
  async run(streams: boolean): Promise<AgentOutcome> {
    const { signal, id } = this.#call;
    // The id of the plain dialect's task is the caller's.
    if (this.#connection.dialect === 'spec') this.#task = { taskId: id };
    try {
      if (streams) await this.#stream();
      else await this.#send();
      await this.#poll();
      return this.#outcome();
    } catch (error) {
      if (signal.aborted) this.#inBackground(this.#cancel());
      throw error;
    }
  }

  get #isSettled(): boolean {
    const { state, reply } = this.#task;
    return reply !== undefined || (state !== undefined && (isTerminal(state) || isInterrupted(state)));
  }

  #request(streams: boolean) {
    const { id, message } = this.#call;
    const { dialect } = this.#connection;
    const sent: Message = { messageId: id, role: 'user', ...message };
    return sendRequest(dialect, sent, { id, streams });
  }

  async #send(): Promise<void> {
    await this.#lingering(async (signal) => this.#take(await callMethod(this.#connection, { ...this.#request(false), signal })));
  }

  /** A stream that breaks off leaves the rest to polling; one that the agent does not offer is replaced by a plain request. */
  async #stream(): Promise<void> {
    try {
      await this.#lingering((signal) => this.#read(signal));
    } catch (error) {
      const isOpen = this.#task.state !== undefined && error instanceof CallError && error.retryable;
      if ((isUnsupported(error) || isUnknownMethod(error)) && this.#task.state === undefined) return this.#send();
      if (!isOpen || this.#call.signal.aborted) throw error;
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    for await (const result of streamMethod(this.#connection, { ...this.#request(true), signal })) {
      this.#take(result);
      if (this.#isSettled || this.#call.signal.aborted) return;
    }
  }

  /** A request whose caller has gone lives on for a moment until its first answer, which may name the task that is to be canceled. */
  async #lingering(request: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#call;
    const linger = new AbortController();
    const pending = request(linger.signal);
    const onAbort = () => {
      const timer = setTimeout(() => linger.abort(signal.reason), this.#task.state === undefined ? LINGER_MS : 0);
      const late = pending.then(
        () => this.#cancel(),
        () => undefined,
      );
      this.#inBackground(late.finally(() => clearTimeout(timer)));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await orAborted(pending, signal);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #poll(): Promise<void> {
    const { clock, what, dialect } = { ...this.#connection };
    const { signal } = this.#call;
    let failures = 0;
    for (let waitMs = POLL_FIRST_MS; !this.#isSettled; waitMs = nextPollMs(waitMs)) {
      const { taskId } = this.#task;
      if (taskId === undefined) throw malformed(what, 'sent neither a task nor a message');
      await orAborted(clock.sleep(waitMs, signal), signal);
      try {
        this.#take(await callMethod(this.#connection, { ...getRequest(dialect, taskId), signal }));
        failures = 0;
      } catch (cause) {
        const error = cause instanceof AgentRpcError ? rpcFailure(cause, what) : cause;
        failures += 1;
        if (signal.aborted) throw error;
        if (error instanceof CallError && error.retryable && failures <= POLL_FAILURES_MAX) continue;
        this.#inBackground(this.#cancel());
        throw error;
      }
    }
  }

  #take(result: unknown): void {
    const update = readAnswer(result);
    if (!update) throw malformed(this.#connection.what, 'sent a result that is neither a task nor a message');
    this.#task = applyUpdate(this.#task, update);
    const piece = update.artifact;
    if (piece) this.#call.onText?.(textOf(piece.artifact.parts), piece.append);
    const { says, state } = this.#task;
    const text = says && state === 'working' ? textOf(says).trim() : '';
    if (text === '' || text === this.#shown) return;
    this.#shown = text;
    this.#call.onProgress(text);
  }

  #outcome(): AgentOutcome {
    const { taskId, contextId, state = 'completed', says = [], artifacts = [], reply } = this.#task;
    const produced = artifacts.flatMap(({ parts }) => parts);
    // Some agents say their answer in the status alone.
    const answer = reply ?? (produced.length > 0 ? produced : says);
    return {
      ...(taskId !== undefined && { taskId }),
      ...(contextId !== undefined && { contextId }),
      ...{ state: reply ? 'completed' : state, says: textOf(says), parts: answer },
    };
  }

  async #cancel(): Promise<void> {
    const { taskId } = this.#task;
    if (taskId === undefined || this.#isSettled) return;
    const { dialect } = this.#connection;
    const signal = timeLimit(CANCEL_MAX_MS);
    await callMethod(this.#connection, { ...cancelRequest(dialect, taskId), signal }).catch(() => undefined);
  }

  #inBackground(work: Promise<unknown>): void {
    const tracked = work.catch(() => undefined).finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
  }
}
