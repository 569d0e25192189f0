// Chat completions in the form of OpenAI's API: a request is a Session of one turn with the agent system that `model` names.
import { ServiceError, type ErrorCode } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { SessionEvent, SessionUsage } from '@svc/shared/api/sessions';
import { nameProblem, namespaceProblem, parseRef, type Resource } from '@svc/shared/resource';
import type { Registry, RequestContext } from '../../registry/registry.ts';
import type { ChatRequest, ChatService, StartedChat } from '../../sessions/chat-service.ts';
import type { EventsPage } from '../../sessions/session-service.ts';
import { JSON_TYPE } from '../body/documents.ts';
import type { CallerGate } from '../gate/caller.ts';
import { json, type Call, type ErrorShape, type Reply, type Route } from '../route.ts';
import { EVENT_STREAM_TYPE, type CloseReason, type EventStream } from '../sse/event-stream.ts';
import { KEEP_ALIVE } from '../sse/frame.ts';
import { shuttingDown, type StreamHub } from '../sse/stream-hub.ts';
import { invalid, readConversation } from './chat-messages.ts';
import { wholeList } from './list.ts';
import { namespaceParameter } from './parameters.ts';
import { ref } from './schemas.ts';
import { streamCaller } from './watches.ts';

export interface ChatServices {
  readonly chats: ChatService;
  readonly registry: Registry;
  readonly gate: CallerGate;
  readonly hub: StreamHub;
}

const TAG = 'Chat';

const TYPES: Partial<Record<ErrorCode, { readonly type: string; readonly code: string | null }>> = {
  unauthorized: { type: 'authentication_error', code: 'invalid_api_key' },
  forbidden: { type: 'permission_error', code: null },
  not_found: { type: 'invalid_request_error', code: 'model_not_found' },
  rate_limited: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  internal: { type: 'server_error', code: null },
  unavailable: { type: 'server_error', code: null },
};

/** Read by clients of OpenAI's API, which repeat requests by themselves. */
const NO_RETRY = { 'x-should-retry': 'false' };

/** The error body of OpenAI's API, which its clients read. */
const CHAT_ERRORS = {
  schema: ref('ChatError'),
  body: (error) => {
    if (error instanceof ChatFailure) return { error: error.fields };
    const { type, code } = TYPES[error.code] ?? { type: 'invalid_request_error', code: null };
    return { error: { message: error.message, type, param: error.details?.[0]?.path ?? null, code } };
  },
  // Clients repeat a 409 by themselves, and the repetition of such a request has the same answer.
  headers: ({ code }) => (code === 'conflict' ? NO_RETRY : {}),
} satisfies ErrorShape;

/** Paths that clients of OpenAI's API send requests to, served here or not. */
const CHAT_PATH = /^\/v1\/(?:chat|completions|embeddings|models|responses)(?:\/|$)/;

/** An unknown path or method has no model to name. */
const UNKNOWN_PATH: ErrorShape = {
  schema: CHAT_ERRORS.schema,
  body: (error) => ({ error: { message: error.message, type: 'invalid_request_error', param: null, code: null } }),
};

/** Shape of errors of a path that no route serves; undefined: that of this API. */
export const chatErrorShapeOf = (path: string): ErrorShape | undefined => (CHAT_PATH.test(path) ? UNKNOWN_PATH : undefined);

interface ChatErrorFields {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
  readonly approval?: unknown;
  readonly session?: string;
}

/** Status of a run that timed out, as clients of this API expect it. */
const GATEWAY_TIMEOUT = 504;

/** A run that gave no answer. */
class ChatFailure extends ServiceError {
  readonly fields: ChatErrorFields;

  constructor(code: ErrorCode, fields: ChatErrorFields, headers: Readonly<Record<string, string>>) {
    super(code, fields.message, { headers });
    this.fields = fields;
  }

  override get httpStatus(): number {
    return this.code === 'timeout' ? GATEWAY_TIMEOUT : super.httpStatus;
  }

  /** The server is not at fault; the worker warns about the run. */
  override get logLevel() {
    return 'info' as const;
  }
}

// ---------------------------------------------------------------- the request

interface AskedChat extends ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

function readChat(body: unknown, call: Call): AskedChat {
  if (!isObject(body)) throw new ServiceError('invalid', 'The body must be an object');
  const { model, messages, n, stream } = body;
  const options = body['stream_options'] ?? undefined;
  if (typeof model !== 'string' || model === '') throw invalid('model', 'must name an AgentSystem');
  if (!Array.isArray(messages) || messages.length === 0) throw invalid('messages', 'must be a list of messages that is not empty');
  if ((n ?? 1) !== 1) throw invalid('n', 'must be 1: an agent system gives one answer');
  if (typeof (stream ?? false) !== 'boolean') throw invalid('stream', 'must be true or false');
  if (options !== undefined && (stream !== true || !isObject(options)))
    throw invalid('stream_options', 'must be an object, and needs stream to be true');
  const { history, content } = readConversation(messages);
  const includeUsage = isObject(options) && options['include_usage'] === true;
  const key = call.header('idempotency-key');
  return { model, system: systemOf(model, call), history, content, key, stream: stream === true, includeUsage };
}

function systemOf(model: string, call: Pick<Call, 'query'>): { namespace: string; name: string } {
  const system = parseRef(model, call.query.namespace());
  // A name that no object can have names none.
  if (nameProblem(system.name) !== undefined || namespaceProblem(system.namespace) !== undefined)
    throw new ServiceError('not_found', `the model ${model.slice(0, 100)} does not exist`);
  return system;
}

// ---------------------------------------------------------------- the answer

const SESSION_HEADER = 'X-Svc-Session';

interface Answer {
  readonly content: string;
  readonly usage: SessionUsage;
  readonly finish: 'stop' | 'length';
}

const usageOf = ({ input_tokens: prompt_tokens, output_tokens: completion_tokens, total_tokens }: SessionUsage) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens,
});

/** The answer, when this event gives it. Throws ChatFailure for an event that ends the chat without one. */
function answerOf({ type, payload }: SessionEvent, { session }: StartedChat): Answer | undefined {
  const headers = { [SESSION_HEADER]: session.name, ...NO_RETRY };
  const text = (field: string) => (typeof payload[field] === 'string' ? payload[field] : '');
  if (type === 'message.completed' && payload['role'] === 'assistant')
    return {
      content: text('content'),
      usage: payload['usage'] as SessionUsage,
      finish: payload['finish_reason'] === 'length' ? 'length' : 'stop',
    };
  if (type === 'approval.requested') {
    const approval = { kind: payload['kind'], name: payload['name'], namespace: session.namespace };
    const message = `the run waits for ${text('kind')} ${session.namespace}/${text('name')}; Session ${session.name} continues after the decision`;
    throw new ChatFailure(
      'conflict',
      { message, type: 'invalid_request_error', param: null, code: 'approval_required', approval, session: session.name },
      headers,
    );
  }
  if (type === 'session.paused') {
    const message = `Session ${session.namespace}/${session.name} is paused and continues once it is resumed: ${text('reason')}`;
    const fields = { message, type: 'invalid_request_error', param: null, code: 'session_paused', session: session.name };
    throw new ChatFailure('conflict', fields, headers);
  }
  if (type !== 'turn.failed' && type !== 'turn.cancelled') return undefined;
  const cancelled = `the turn of Session ${session.namespace}/${session.name} was cancelled: ${text('reason')}`;
  const message = type === 'turn.cancelled' ? cancelled : text('error') || 'the run failed';
  const timedOut = payload['code'] === 'timeout';
  throw new ChatFailure(
    timedOut ? 'timeout' : 'internal',
    { message, type: timedOut ? 'timeout' : 'server_error', param: null, code: timedOut ? 'timeout' : null },
    headers,
  );
}

/** The answer, when an event of the page gives it. Throws as `answerOf`. */
function answerIn({ items }: EventsPage, chat: StartedChat): Answer | undefined {
  for (const event of items) {
    const answer = answerOf(event, chat);
    if (answer) return answer;
  }
  return undefined;
}

/** A caller who may not have the answer any longer gives up its run. */
async function* pagesOf(chats: ChatService, context: RequestContext, { chat, signal }: Followed): AsyncGenerator<EventsPage> {
  try {
    yield* chats.follow(chat, signal);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') await chats.abandon(context, chat);
    throw error;
  }
}

interface Followed {
  readonly chat: StartedChat;
  readonly signal: AbortSignal;
}

function answerWhole(services: ChatServices, call: Call, asked: AskedChat): Promise<Reply> {
  return services.hub.whileOpen(call.request, async (signal) => {
    const chat = await services.chats.start(call.context, asked);
    for await (const page of pagesOf(services.chats, call.context, { chat, signal })) {
      const answer = answerIn(page, chat);
      if (!answer) continue;
      const message = { role: 'assistant', content: answer.content, refusal: null };
      const choices = [{ index: 0, message, logprobs: null, finish_reason: answer.finish }];
      const body = { ...headOf(chat, asked, 'chat.completion'), choices, usage: usageOf(answer.usage) };
      return json(body, { headers: { [SESSION_HEADER]: chat.session.name } });
    }
    if (!signal.aborted) throw deletedChat(chat);
    if (services.hub.isClosed) throw endOf('server_shutting_down', chat);
    await services.chats.abandon(call.context, chat);
    throw new ServiceError('unavailable', 'the client closed the connection');
  });
}

const deletedChat = ({ session: { namespace, name } }: StartedChat): ServiceError =>
  new ServiceError('conflict', `Session ${namespace}/${name} of this chat was deleted before its answer; send the request again`);

const headOf = ({ session, created }: StartedChat, { model }: AskedChat, object: string) => ({
  id: `chatcmpl-${session.uid.replaceAll('-', '')}`,
  object,
  created,
  model,
});

/** Sent text cannot be withdrawn: text that may be withdrawn is held until it is final. */
class SentText {
  #sent = '';
  /** How much of the current text was compared with the sent text: all of the latter, unless a text was withdrawn. */
  #compared = 0;
  #differs = false;
  /** The current text behind the sent text. Texts are not compared as a whole: a page may be one word of a long answer. */
  #waiting = '';
  readonly #atOnce: boolean;

  constructor(atOnce: boolean) {
    this.#atOnce = atOnce;
  }

  /** The text to send now. A repeated request reads past events first: it sends none of their text that a later one withdraws. */
  add({ items, more }: EventsPage): string {
    if (!this.#atOnce) return '';
    for (const { type, payload } of items) {
      if (type === 'message.reset') this.#withdraw();
      if (type === 'message.delta') this.#append(String(payload['delta']));
    }
    if (more || this.#differs || this.#compared < this.#sent.length) return '';
    const rest = this.#waiting;
    this.#sent += rest;
    this.#compared = this.#sent.length;
    this.#waiting = '';
    return rest;
  }

  #withdraw(): void {
    this.#compared = 0;
    this.#differs = false;
    this.#waiting = '';
  }

  #append(piece: string): void {
    const repeated = Math.min(piece.length, this.#sent.length - this.#compared);
    if (repeated > 0 && !this.#sent.startsWith(piece.slice(0, repeated), this.#compared)) this.#differs = true;
    this.#compared += repeated;
    this.#waiting += piece.slice(repeated);
  }

  /** The rest of the answer; undefined when what was sent is not its beginning. */
  finish(content: string): string | undefined {
    return content.startsWith(this.#sent) ? content.slice(this.#sent.length) : undefined;
  }
}

const dataFrame = (value: unknown): Buffer => Buffer.from(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);

/** Reasons of the server alone: the run continues. */
const OWN_REASONS: ReadonlySet<CloseReason | undefined> = new Set<CloseReason>(['server_shutting_down', 'max_watch_duration_reached']);

/** The error that ends a stream which the server closes: the protocol has no event for its reason. */
function endOf(reason: CloseReason, { session: { namespace, name }, isShared }: StartedChat): ServiceError {
  const has = `Session ${namespace}/${name} continues and will have the answer`;
  if (reason === 'server_shutting_down') {
    // Without a key the same request would begin a second run.
    const headers = { [SESSION_HEADER]: name, ...(!isShared && NO_RETRY) };
    return shuttingDown(`the server is shutting down; ${has}`, headers);
  }
  if (reason === 'max_watch_duration_reached') return new ServiceError('unavailable', `the stream reached its longest duration; ${has}`);
  if (reason === 'unauthorized') return new ServiceError('unauthorized', 'the token of this request was revoked or has expired');
  if (reason === 'slow_consumer')
    return new ServiceError('unavailable', 'the stream was read too slowly; read it faster, or send the request without stream');
  return new ServiceError('internal', 'the server failed on this stream');
}

interface Streaming {
  readonly asked: AskedChat;
  readonly chat: StartedChat;
  readonly pages: AsyncIterable<EventsPage>;
}

async function answerInPieces(services: ChatServices, call: Call, asked: AskedChat): Promise<Reply> {
  const chat = await services.chats.start(call.context, asked);
  const abandon = () => services.chats.abandon(call.context, chat);
  const lastFrame = (reason: CloseReason) => dataFrame(CHAT_ERRORS.body(endOf(reason, chat)));
  const caller = { ...streamCaller(services.gate, call, 'session'), frames: { keepAlive: KEEP_ALIVE, lastFrame } };
  const reply = await services.hub.reply(caller, () => async (stream) => {
    try {
      const pages = pagesOf(services.chats, call.context, { chat, signal: stream.signal });
      if (await sendPieces(stream, { asked, chat, pages })) return;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return stream.finish([dataFrame(CHAT_ERRORS.body(error))]);
    }
    if (!OWN_REASONS.has(stream.closeReason)) await abandon();
  });
  return { ...reply, drop: abandon, write: (response) => reply.write(response.setHeader(SESSION_HEADER, chat.session.name)) };
}

/** False when the stream ends before the answer is sent. */
async function sendPieces(stream: EventStream, { asked, chat, pages }: Streaming): Promise<boolean> {
  const head = headOf(chat, asked, 'chat.completion.chunk');
  const chunk = (delta: object, finish_reason: string | null = null) =>
    dataFrame({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...(asked.includeUsage && { usage: null }) });
  const sent = new SentText(chat.answersAtOnce);
  await stream.send([chunk({ role: 'assistant', content: '' })]);
  for await (const page of pages) {
    const answer = answerIn(page, chat);
    const text = answer ? sent.finish(answer.content) : sent.add(page);
    if (text === undefined) throw new ServiceError('internal', 'the answer changed after its beginning was sent; send the request again');
    if (text !== '' && !(await stream.send([chunk({ content: text })]))) return false;
    if (!answer) continue;
    const usage = asked.includeUsage ? [dataFrame({ ...head, choices: [], usage: usageOf(answer.usage) })] : [];
    await stream.finish([chunk({}, answer.finish), ...usage, dataFrame('[DONE]')]);
    return true;
  }
  if (!stream.signal.aborted) throw deletedChat(chat);
  return false;
}

// ---------------------------------------------------------------- routes

function modelOf({ metadata }: Resource, namespace: string) {
  const id = metadata.namespace === namespace ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  return { id, object: 'model', created: Math.floor(Date.parse(metadata.createdAt) / 1_000), owned_by: metadata.namespace };
}

const MODEL_LIST = { open: '{"object":"list","data":[', close: () => ']}' };

function modelRoutes({ registry }: ChatServices): Route[] {
  const shared = { method: 'GET', access: 'reader', tag: TAG, query: [namespaceParameter], errorShape: CHAT_ERRORS } as const;
  const one = { ...shared, responses: { 200: { description: 'The model.', schema: ref('Model') } } };
  const getModel = async (call: Call, id: string) => {
    const asked = systemOf(id, call);
    return json(modelOf(await registry.get(call.context, { kind: 'AgentSystem', ...asked }), call.query.namespace()));
  };
  return [
    {
      ...shared,
      path: '/v1/models',
      operationId: 'listModels',
      summary: 'Agent systems as models',
      description: 'Names of the namespace have no prefix, others are `namespace/name`.',
      responses: { 200: { description: 'The models.', schema: ref('ModelList') } },
      inPortions: true,
      handle: async (call) => {
        const namespace = call.query.namespace();
        return wholeList(registry, call, { kind: 'AgentSystem', frame: MODEL_LIST, shape: (system) => modelOf(system, namespace) });
      },
    },
    {
      ...one,
      path: '/v1/models/{model}',
      operationId: 'getModel',
      summary: 'An agent system as a model',
      description: '`model` is an id of the list: a name, or `namespace/name` with the slash as it is or encoded as %2F.',
      handle: (call) => getModel(call, call.params['model'] ?? ''),
    },
    {
      ...one,
      path: '/v1/models/{model}/{name}',
      operationId: 'getModelOfNamespace',
      summary: 'An agent system as a model, by namespace and name',
      description: 'For clients that do not encode the slash of an id: `model` is the part before it, the namespace.',
      handle: (call) => getModel(call, `${call.params['model']}/${call.params['name']}`),
    },
  ];
}

export function chatRoutes(services: ChatServices): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      access: 'writer',
      tag: TAG,
      operationId: 'createChatCompletion',
      mayWait: true,
      summary: 'Chat with an agent system',
      description:
        'As OpenAI’s chat completions: `model` names an AgentSystem, the last message is the turn, those before it are the conversation, calls of tools and their results included. ' +
        'With `stream` the answer comes as server-sent events. 409 `approval_required` when the run waits for a person, 409 `session_paused` when its Session is paused; the Session continues.',
      query: [namespaceParameter],
      body: { description: 'The request.', schema: ref('ChatRequest'), contentTypes: [JSON_TYPE] },
      responses: {
        200: {
          description: 'The answer, or its chunks.',
          schema: ref('ChatCompletion'),
          contentType: [JSON_TYPE, EVENT_STREAM_TYPE],
          headers: { [SESSION_HEADER]: 'The Session that ran it.' },
        },
        [GATEWAY_TIMEOUT]: { description: 'The run timed out.', schema: CHAT_ERRORS.schema },
      },
      errors: ['not_found'],
      errorShape: CHAT_ERRORS,
      handle: async (call) => {
        const asked = readChat(await call.readDocument(), call);
        if (!asked.stream) return answerWhole(services, call, asked);
        return services.hub.reserve(call.clientAddress, () => answerInPieces(services, call, asked));
      },
    },
    ...modelRoutes(services),
  ];
}
