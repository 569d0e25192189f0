// The endpoints of A2A: JSON-RPC 2.0 over HTTP, with server-sent events for streams (docs/a2a.md).
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@svc/shared/errors';
import { DEFAULT_NAMESPACE, nameProblem, namespaceProblem, parseRef } from '@svc/shared/resource';
import { answerRequest, isHttpRefusal, type RpcAnswer, type RpcServices } from '../../a2a/rpc/answer.ts';
import { errorBody, readRequest, resultBody, type ReadRequest, type RequestId, type RpcRequest } from '../../a2a/rpc/envelope.ts';
import { fromService, refusalBody, RpcError } from '../../a2a/rpc/errors.ts';
import { readTarget } from '../../a2a/rpc/read-params.ts';
import { isPublic, NO_OPEN_SYSTEM } from '../../a2a/systems.ts';
import type { Dialect } from '../../a2a/model.ts';
import type { SystemTarget } from '../../registry/authorise.ts';
import { requireSystemAccess } from '../../registry/authorise.ts';
import type { Authorizer } from '../../authorizer/authorizer.ts';
import type { Logger } from '../../log/log.ts';
import type { StoredObject } from '../../store/store.ts';
import { bodySyntax, JSON_TYPE } from '../body/documents.ts';
import type { CallerGate } from '../gate/caller.ts';
import { createTokenBuckets, type TokenBuckets } from '../gate/token-bucket.ts';
import type { Clock } from '../../clock.ts';
import { json, type Call, type ErrorShape, type Parameter, type Reply, type Route } from '../route.ts';
import { EVENT_STREAM_TYPE, type EventStream } from '../sse/event-stream.ts';
import { shuttingDown, type StreamCaller, type StreamHub } from '../sse/stream-hub.ts';
import { plainText } from '../text-types.ts';
import { namespaceParameter } from './parameters.ts';
import { ref } from './schemas.ts';

/** Systems that are open to A2A. */
interface AgentSystems {
  /** The system by its name; undefined when it does not exist or is not open. */
  find(ref: { readonly namespace: string; readonly name: string }): Promise<StoredObject | undefined>;
  /** The one system that is open, or why there is no such one, in one sentence. */
  findOnly(): Promise<StoredObject | string>;
}

export interface A2aService extends RpcServices {
  readonly systems: AgentSystems;
}

/** Requests of one caller; absent: any number. */
export interface A2aRate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface A2aRouteServices {
  readonly a2a: A2aService;
  readonly hub: StreamHub;
  readonly gate: CallerGate;
  readonly log: Logger;
  readonly clock: Clock;
  readonly authorizer?: Pick<Authorizer, 'require'> | undefined;
}

const BODY_MAX_BYTES = 1024 * 1024;
const CALLERS_MAX = 100_000;
const VERSIONS: ReadonlySet<string> = new Set(['', '0.3', '1.0']);

/** Ids of the requests that were read. */
const ids = new WeakMap<IncomingMessage, RequestId>();
const A2A_ERRORS: ErrorShape = {
  schema: ref('JsonRpcError'),
  body: (error, request) => refusalBody(error, ids.get(request) ?? null),
};

const versionParameter: Parameter = {
  name: 'A2A-Version',
  description: 'Version of the protocol that the client speaks, 0.3 or 1.0; the method’s name decides the form of the answer.',
  ...plainText(32),
};

const agentNotFound = () => new RpcError('AGENT_NOT_FOUND', 'There is no such agent, or it is not open to this caller over A2A');

/** The system that a call is for. */
interface CallTarget {
  readonly system: StoredObject | RpcError;
  /** Absent on the shared endpoint for a call that names none. */
  readonly named?: SystemName;
}

type SystemName = Pick<SystemTarget, 'namespace' | 'name'>;

/** The request, and the system that it is for, which is read before the caller is judged. */
interface RequestTarget extends CallTarget {
  readonly read: ReadRequest;
}

/** By the path, or by the parameters on the shared endpoint. */
async function readCalled({ a2a }: A2aRouteServices, call: Call): Promise<CallTarget> {
  const name = call.params['name'];
  if (name !== undefined) return findNamed(a2a, { namespace: call.query.namespace(), name });
  const read = await readBody(call);
  if ('error' in read) return { system: read.error };
  try {
    const named = readTarget(read.params);
    if (named !== undefined) return await findNamed(a2a, parseRef(named, DEFAULT_NAMESPACE));
  } catch (error) {
    if (error instanceof RpcError) return { system: error };
    throw error;
  }
  const only = await a2a.systems.findOnly();
  return { system: typeof only === 'string' ? new RpcError('AGENT_NOT_FOUND', only) : only };
}

const findNamed = async (a2a: A2aService, named: SystemName): Promise<CallTarget> => ({ named, system: await findSystem(a2a, named) });

const isValidName = ({ namespace, name }: SystemName): boolean =>
  nameProblem(name) === undefined && namespaceProblem(namespace) === undefined;

async function findSystem({ systems }: A2aService, system: SystemName): Promise<StoredObject | RpcError> {
  if (!isValidName(system)) return agentNotFound();
  return (await systems.find(system)) ?? agentNotFound();
}

async function readBody(call: Call): Promise<ReadRequest> {
  bodySyntax(call.request.headers, [JSON_TYPE]);
  const read = readRequest(await call.readBytes());
  if (read.id !== undefined) ids.set(call.request, read.id);
  return read;
}

/** A system that does not exist is answered like one that the caller may not invoke. Undefined: the call names none, and none stands for it. */
function targetOf({ system, named }: CallTarget): SystemTarget | undefined {
  if (system instanceof RpcError) return named && { ...named, isPublic: false };
  return { namespace: system.namespace, name: system.name, isPublic: isPublic(system) };
}

// ---------------------------------------------------------------- answers

/** As a header or, by A2A 1.0 section 3.6.1, as a parameter of the address. */
export const a2aVersion = (call: Call): string => (call.header('a2a-version') ?? call.query.text('A2A-Version') ?? '').trim();

function checkVersion(call: Call): void {
  const version = a2aVersion(call);
  if (!VERSIONS.has(version.replace(/^(\d+\.\d+)\.\d+$/, '$1')))
    throw new RpcError('VERSION_NOT_SUPPORTED', 'This version of A2A is not supported; supported are 0.3 and 1.0');
}

/** By name, so that a denial says nothing about whether the system exists. */
async function requireAuthorized({ authorizer }: A2aRouteServices, call: Call, { namespace, name }: SystemName): Promise<void> {
  await authorizer?.require(call.context.identity, { method: 'POST', resource: 'a2a', namespace, name });
}

/** A denial names the system: a call that named none gets the answer of a server where no system is open. */
function hideSystem(error: unknown): never {
  if (error instanceof ServiceError && error.code === 'forbidden') throw new RpcError('AGENT_NOT_FOUND', NO_OPEN_SYSTEM);
  throw error;
}

const NO_CONTENT: Reply = { type: 'text', status: 204, contentType: 'text/plain', text: '' };

/** A notification has no body in reply, even when it fails; refusals by HTTP have one. */
async function answerCall(services: A2aRouteServices, call: Call, { read, system, named }: RequestTarget): Promise<Reply> {
  const dialect = read.method?.dialect ?? 'v03';
  const { id } = read;
  const failed = (error: RpcError): Reply => (id === undefined ? NO_CONTENT : json(errorBody(id, error, dialect)));
  try {
    if ('error' in read) throw read.error;
    checkVersion(call);
    const called = system instanceof RpcError ? named : system;
    if (called && isValidName(called)) await requireAuthorized(services, call, called).catch(named ? undefined : hideSystem);
    if (system instanceof RpcError) throw system;
    const answered = async () => {
      const answer = await answerUnlessClosed(services, call, { read, system });
      if (id === undefined) return NO_CONTENT;
      return answer.kind === 'result' ? json(resultBody(id, answer.result)) : streamReply(services, call, { answer, read, system });
    };
    return await (read.method.operation === 'stream' ? services.hub.reserve(call.clientAddress, answered) : answered());
  } catch (error) {
    if (error instanceof RpcError) return failed(error);
    if (!(error instanceof ServiceError) || error.httpStatus >= 500 || isHttpRefusal(error)) throw error;
    return failed(fromService(error));
  }
}

/**
 * The end of the connection, or of this server, ends the wait for the end of a run, and the run continues. The answer is the task in its current state,
 * which clients follow; those of `tasks/send` repeat the request under its id.
 */
function answerUnlessClosed(
  { a2a, hub }: A2aRouteServices,
  call: Call,
  { read, system }: { readonly read: RpcRequest; readonly system: StoredObject },
): Promise<RpcAnswer> {
  return hub.whileOpen(call.request, async (signal) => {
    const answer = await answerRequest({ ...a2a, call: { context: call.context, system }, signal }, read);
    if (hub.isClosed && read.method.dialect === 'spec' && read.method.operation === 'send')
      throw shuttingDown('the server is shutting down; the task continues: send the request again with its id');
    return answer;
  });
}

interface Streaming {
  readonly answer: Extract<RpcAnswer, { kind: 'stream' }>;
  readonly read: RpcRequest;
  readonly system: StoredObject;
}

const HEARTBEAT = Buffer.from(': heartbeat\n\n');

function streamReply(services: A2aRouteServices, call: Call, { answer, read, system }: Streaming): Promise<Reply> {
  const { hub, gate, a2a } = services;
  const { namespace, name } = system;
  const id = read.id ?? null;
  const caller: StreamCaller = {
    address: call.clientAddress,
    purpose: 'a2a',
    // A2A 0.3 and 1.0 have no event that says why a stream ends, but for an error.
    frames: {
      keepAlive: HEARTBEAT,
      ...(answer.dialect !== 'spec' && {
        lastFrame: (reason) =>
          reason === 'forbidden' ? frameOf(answer.dialect, errorBody(id, agentNotFound(), answer.dialect)) : undefined,
      }),
    },
    // A system may be closed, no longer public, or denied to this caller since the stream began.
    stillAllowed: async () => {
      const found = await findNamed(a2a, { namespace, name });
      requireSystemAccess(await gate.tryToken(call.request), targetOf(found) ?? { namespace, name, isPublic: false });
      if (found.system instanceof RpcError) throw new ServiceError('forbidden', found.system.message);
      await requireAuthorized(services, call, { namespace, name });
    },
  };
  return hub.reply(caller, (signal) => async (stream) => {
    try {
      await sendAll(stream, answer, { id, signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RpcError)) services.log.error({ err: error, system: `${namespace}/${name}` }, 'a stream of A2A failed');
      const known = error instanceof RpcError ? error : new RpcError('INTERNAL_ERROR', 'The server failed on this stream; subscribe again');
      await stream.finish([frameOf(answer.dialect, errorBody(id, known, answer.dialect))]);
    }
  });
}

async function sendAll(
  stream: EventStream,
  { dialect, open }: Streaming['answer'],
  { id, signal }: { readonly id: RequestId; readonly signal: AbortSignal },
): Promise<void> {
  for await (const { result, ends } of open(signal)) {
    // An event of the plain dialect is the task itself.
    const bytes = frameOf(dialect, dialect === 'spec' ? result : resultBody(id, result));
    if (ends) return stream.finish([bytes]);
    if (!(await stream.send([bytes]))) return;
  }
  if (!signal.aborted) await stream.finish([]);
}

const frameOf = (dialect: Dialect, body: unknown): Buffer =>
  Buffer.from(`${dialect === 'spec' ? 'event: status\n' : ''}data: ${JSON.stringify(body)}\n\n`);

// ---------------------------------------------------------------- routes

const RESPONSES: Route['responses'] = {
  200: {
    description: 'The result, an error of JSON-RPC, or a stream of server-sent events.',
    schema: ref('JsonRpcResponse'),
    contentType: [JSON_TYPE, EVENT_STREAM_TYPE],
  },
  204: { description: 'The notification was handled or failed; the reply has no body.' },
};

/** Callers of public systems without a token are distinguished by their address. */
function takeRate(buckets: TokenBuckets | undefined, { context: { identity }, clientAddress }: Call): void {
  buckets?.take(identity.method === 'none' ? clientAddress : `token:${identity.name}`);
}

export function a2aRoutes(services: A2aRouteServices, rate: A2aRate | undefined): Route[] {
  const buckets =
    rate &&
    createTokenBuckets(
      { burst: rate.burst, perMinute: rate.perSecond * 60, addressesMax: CALLERS_MAX, refusal: 'Too many A2A requests from this caller' },
      services.clock,
    );
  const called = new WeakMap<Call, CallTarget>();
  const handle = async (call: Call, target: CallTarget): Promise<Reply> => {
    takeRate(buckets, call);
    return answerCall(services, call, { read: await readBody(call), ...target });
  };
  const shared = {
    method: 'POST',
    access: 'a2a',
    mayWait: true,
    tag: 'A2A',
    headers: [versionParameter],
    body: {
      description: 'One request of JSON-RPC 2.0.',
      schema: ref('JsonRpcRequest'),
      contentTypes: [JSON_TYPE],
      maxBytes: BODY_MAX_BYTES,
    },
    responses: RESPONSES,
    errorShape: A2A_ERRORS,
    systemOf: async (call: Call) => {
      const found = await readCalled(services, call);
      called.set(call, found);
      return targetOf(found);
    },
    handle: (call: Call) => handle(call, called.get(call) ?? { system: agentNotFound() }),
    handleUnlisted: async (call: Call) => {
      const reply = await handle(call, { system: agentNotFound() });
      return reply.type === 'json' ? { ...reply, status: 403 } : reply;
    },
  } as const;
  const description =
    'Methods of the plain dialect (`tasks/send`, `tasks/get`, `tasks/cancel`, `tasks/sendSubscribe`), of A2A 0.3 (`message/send` and its like) and of A2A 1.0 (`SendMessage` and its like); docs/a2a.md has them all.';
  return [
    {
      ...shared,
      path: '/a2a',
      operationId: 'callAgent',
      summary: 'Call an agent system over A2A',
      description: `${description} \`params.system\` or \`params.metadata.system\` names the system; without it the only open system is called.`,
      query: [versionParameter],
    },
    {
      ...shared,
      path: '/v1/agent-systems/{name}/a2a',
      operationId: 'callAgentSystem',
      summary: 'Call this agent system over A2A',
      description,
      query: [namespaceParameter, versionParameter],
    },
    {
      ...shared,
      path: '/v1/agents/{name}/a2a',
      operationId: 'callAgentSystemByOldPath',
      summary: 'The same under the older path',
      description: 'The name is that of an AgentSystem.',
      query: [namespaceParameter, versionParameter],
    },
  ];
}
