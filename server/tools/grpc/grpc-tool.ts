// Tool type `grpc`: one unary call, either of the fixed service tool.v1.ToolService or of a method that the endpoint names and server reflection describes.
import { isObject } from '@svc/shared/json';
import { LRUCache } from 'lru-cache';
import { CallError } from '../../engine/ports.ts';
import { readReply } from '../protocol/reply.ts';
import { protocolHeaders, protocolRequest, TOOL_CONTRACT_VERSION } from '../protocol/request.ts';
import { toolTitle, type RuntimeDeps, type ToolAnswer, type ToolRun, type ToolRuntime } from '../runtime.ts';
import { trustedCa } from '../trusted-ca.ts';
import { createChannels, StatusError, type Call, type Channel, type Channels } from './channels.ts';
import { grpcEndpoint, type GrpcEndpoint } from './endpoint.ts';
import { decodeJson, encodeJson, isMappingProblem } from './json-codec.ts';
import type { MethodType, TypeRegistry } from './message-types.ts';
import { reflectService, ReflectionTooLarge } from './reflection.ts';
import { statusError, UNIMPLEMENTED } from './status-errors.ts';
import { TOOL_METHOD, toolServiceTypes } from './tool-service.ts';

const DESCRIPTIONS_MAX = 100;
const DESCRIPTION_AGE_MAX_MS = 300_000;

export type GrpcToolDeps = Pick<RuntimeDeps, 'clock' | 'config' | 'permittedBy' | 'secrets'>;

/** Types from reflection, by server and service. */
type Descriptions = LRUCache<string, { readonly types: TypeRegistry; readonly readAt: number }>;

interface Parts {
  readonly deps: GrpcToolDeps;
  readonly channels: Channels;
  readonly descriptions: Descriptions;
}

export function createGrpcToolRuntime(deps: GrpcToolDeps): ToolRuntime {
  const channels = createChannels({ allowPrivate: deps.config.allowPrivateEndpoints, permittedBy: deps.permittedBy });
  const parts: Parts = { deps, channels, descriptions: new LRUCache({ max: DESCRIPTIONS_MAX }) };
  return { type: 'grpc', run: (call) => runOnce(parts, call), close: () => channels.close() };
}

async function runOnce(parts: Parts, run: ToolRun): Promise<ToolAnswer> {
  const endpoint = grpcEndpoint(run.tool);
  const ca = await trustedCa(run.tool, parts.deps.secrets);
  const request = { endpoint, signal: run.signal, ...(ca !== undefined && { ca }) };
  try {
    return await parts.channels.with(request, (channel) =>
      endpoint.method === undefined ? invokeTool(channel, run) : invokeMethod(channel, run, { parts, endpoint, method: endpoint.method }),
    );
  } catch (error) {
    throw run.signal.aborted ? run.signal.reason : typed(error, run);
  }
}

async function invokeTool(channel: Channel, run: ToolRun): Promise<ToolAnswer> {
  const request = encodeJson(protocolRequest(run, run.attempt), 'tool.v1.InvokeRequest', toolServiceTypes);
  const answer = await channel.unary(callOf(run, TOOL_METHOD), request);
  const reply = decoded(run, () => decodeJson(answer, 'tool.v1.InvokeReply', toolServiceTypes));
  return { output: readReply(reply, toolTitle(run.tool)), contractVersion: TOOL_CONTRACT_VERSION };
}

interface GrpcMethod {
  readonly parts: Parts;
  readonly endpoint: GrpcEndpoint;
  readonly method: string;
}

async function invokeMethod(channel: Channel, run: ToolRun, { parts, endpoint, method }: GrpcMethod): Promise<ToolAnswer> {
  const key = JSON.stringify([endpoint.host, endpoint.port, endpoint.tls, method]);
  const types = await describe(channel, run, { key, parts, method });
  const shape = methodShape(run, types, method);
  try {
    const answer = await channel.unary(callOf(run, method), encoded(run, shape, types));
    return { output: JSON.stringify(decoded(run, () => decodeJson(answer, shape.output, types))) };
  } catch (error) {
    // A mismatch may mean that the server has changed since it was described.
    if (!(error instanceof StatusError) || error.status.code === UNIMPLEMENTED) parts.descriptions.delete(key);
    throw error;
  }
}

async function describe(
  channel: Channel,
  run: ToolRun,
  { key, parts, method }: { key: string; parts: Parts; method: string },
): Promise<TypeRegistry> {
  const { descriptions, deps } = parts;
  const known = descriptions.get(key);
  if (known && deps.clock.now() - known.readAt < DESCRIPTION_AGE_MAX_MS) return known.types;
  const service = method.slice(0, method.indexOf('/'));
  const types = await reflectService(channel, service, callOf(run, method)).catch((error: unknown) => {
    throw reflectionError(error, run, service);
  });
  descriptions.set(key, { types, readAt: deps.clock.now() });
  return types;
}

function callOf(run: ToolRun, method: string): Call {
  return {
    method,
    metadata: { ...run.credentials.headers, ...protocolHeaders(run) },
    deadline: run.deadline,
    signal: run.signal,
  };
}

function methodShape({ tool }: ToolRun, types: TypeRegistry, method: string): MethodType {
  const shape = types.methods.get(method);
  const problem = !shape
    ? 'is not described by the reflection of its server'
    : shape.streaming
      ? 'streams, and only unary methods can be called'
      : '';
  if (shape && problem === '') return shape;
  throw new CallError('unsupported_tool', `${toolTitle(tool)}: the method ${method} ${problem}`, { retryable: false, reason: 'method' });
}

/** The input is the model's; what does not fit comes back to it. */
function encoded({ tool, input }: ToolRun, { input: typeName }: MethodType, types: TypeRegistry): Uint8Array {
  try {
    return encodeJson(input, typeName, types);
  } catch (error) {
    if (!isMappingProblem(error)) throw error;
    const message = `the input does not fit the message ${typeName} of ${toolTitle(tool)}: ${error.message}`;
    throw new CallError('invalid_input', message, { retryable: false, reason: 'schema_mismatch' });
  }
}

function decoded(run: ToolRun, decode: () => unknown): unknown {
  try {
    const value = decode();
    return isObject(value) ? { ...value } : value;
  } catch (error) {
    if (!isMappingProblem(error)) throw error;
    throw malformed(run, `sent a message that cannot be read: ${error.message}`, 'message_unreadable');
  }
}

function malformed({ tool }: ToolRun, problem: string, reason: string): CallError {
  return new CallError('malformed_response', `${toolTitle(tool)} ${problem}`, { retryable: false, reason });
}

function reflectionError(error: unknown, run: ToolRun, service: string): unknown {
  if (error instanceof ReflectionTooLarge)
    return malformed(run, 'describes itself by more than 256 files or 4 MiB', 'reflection_too_large');
  if (isMappingProblem(error)) return malformed(run, 'describes itself by files that cannot be read', 'reflection_unreadable');
  if (!(error instanceof StatusError) || error.status.code !== UNIMPLEMENTED) return error;
  const message = `${toolTitle(run.tool)}: its server has no server reflection, so ${service} cannot be called; implement tool.v1.ToolService or switch reflection on`;
  return new CallError('unsupported_tool', message, { retryable: false, reason: 'no_reflection' });
}

function typed(error: unknown, run: ToolRun): unknown {
  if (!(error instanceof StatusError)) return error;
  if (error.tooLarge) return malformed(run, 'sent a message that is too large', 'response_too_large');
  return statusError(error.status, toolTitle(run.tool));
}
