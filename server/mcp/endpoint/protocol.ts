// The protocol of the MCP endpoint, by the official package: every request is served by an instance of its own, in either era and without a session.
import {
  createMcpHandler,
  ProtocolError,
  Server,
  type CallToolResult,
  type McpHttpHandler,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ERROR_TABLE, ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import { formatCursor, parseCursor } from '../../registry/cursor.ts';
import type { RequestContext } from '../../registry/registry.ts';
import { answerOf, errorAnswer } from './answers.ts';
import { PROGRESS_EVERY_MS, PROGRESS_TOKEN_MAX } from './limits.ts';
import type { McpCalls, McpRun } from './service.ts';
import { handleOf, meaningsOf, toolEntry } from './tool-entry.ts';

/** One HTTP request to the endpoint. */
export interface McpRequest {
  readonly context: RequestContext;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** Runs a call; its signal aborts when the server stops, too. Throws `unavailable` without a call of `work` on a server that stops. */
  readonly whileOpen: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

export interface McpEndpoint {
  /** `headers` are those of the protocol, without credentials. Never rejects. */
  serve(request: McpRequest, headers: Headers, body: unknown): Promise<Response>;
}

/** Placeholder for the address of the endpoint; the package reads nothing from it. */
const ADDRESS = 'http://endpoint.invalid/mcp';
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

export interface McpEndpointOptions {
  readonly calls: McpCalls;
  readonly version: string;
  readonly reportError: (error: unknown) => void;
}

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const handler: McpHttpHandler = createMcpHandler((instance) => {
    const request = instance.authInfo?.extra?.['request'] as McpRequest;
    return createInstance(options, request, instance.era);
  });
  return {
    serve(request, headers, parsedBody) {
      const authInfo = { token: '', clientId: request.context.identity.name, scopes: [], extra: { request } };
      const web = new Request(ADDRESS, { method: 'POST', headers, signal: request.gone });
      return handler.fetch(web, { authInfo, parsedBody });
    },
  };
}

function createInstance(options: McpEndpointOptions, request: McpRequest, era: 'legacy' | 'modern'): Server {
  const { calls, version } = options;
  const server = new Server({ name: 'svc', version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => typed(options, () => listTools(calls, request, params?.cursor)));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    typed(options, () =>
      request.whileOpen((signal) =>
        callTool({ calls, request, era, context, signal }, params.name, (params.arguments ?? {}) as JsonObject),
      ),
    ),
  );
  return server;
}

/** Maps an error to a JSON-RPC error; an unexpected one becomes Internal error, without its text. */
async function typed<T>({ reportError }: McpEndpointOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (ProtocolError.isInstance(error)) throw error;
    if (error instanceof ServiceError) throw new ProtocolError(ERROR_TABLE[error.code].jsonRpcCode, error.message);
    reportError(error);
    throw new ProtocolError(INTERNAL_ERROR, 'the server failed on this request; see its log');
  }
}

async function listTools(calls: McpCalls, { context }: McpRequest, cursor: string | undefined) {
  const { systems, next } = await calls.systems(context, cursor === undefined ? undefined : parseCursor(cursor, undefined));
  const nextCursor = next && formatCursor(next, 'name');
  return { tools: systems.map(toolEntry), ...(nextCursor !== undefined && { nextCursor }) };
}

interface ToolCall {
  readonly calls: McpCalls;
  readonly request: McpRequest;
  readonly era: 'legacy' | 'modern';
  readonly context: ServerContext;
  /** Ends the wait for the run. */
  readonly signal: AbortSignal;
}

const SHOWN_NAME_MAX = 100;

async function callTool(call: ToolCall, tool: string, args: JsonObject): Promise<CallToolResult> {
  const { calls, request, era, context } = call;
  const onState = createProgress(context);
  const system = await calls.find(request.context, meaningsOf(tool));
  if (!system) throw new ProtocolError(INVALID_PARAMS, `unknown tool ${tool.slice(0, SHOWN_NAME_MAX)}`);
  const place = { namespace: system.namespace, name: system.name };
  const handle = handleOf(args);
  let run: McpRun;
  try {
    run = handle === undefined ? await calls.start(request.context, place, args) : await calls.resume(request.context, place, handle);
  } catch (error) {
    // Input errors are results with `isError`, so that a model can correct its call.
    if (error instanceof ServiceError && (error.code === 'invalid' || error.code === 'not_found')) return errorAnswer(error.message);
    throw error;
  }
  const withdrawn = AbortSignal.any([request.gone, context.mcpReq.signal]);
  const signal = AbortSignal.any([withdrawn, call.signal]);
  const outcome = await calls.wait(request.context, run, { signal, onState });
  // In this era a client that closes the request withdraws it; before, it means nothing.
  if (withdrawn.aborted && outcome.kind === 'running' && era === 'modern' && handle === undefined) await calls.cancel(request.context, run);
  return answerOf(outcome, run);
}

/** Reports states to a client that gave a token for it, which each report repeats. */
function createProgress({ mcpReq }: ServerContext): (state: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  if (String(progressToken).length > PROGRESS_TOKEN_MAX)
    throw new ProtocolError(INVALID_PARAMS, `_meta.progressToken may have ${PROGRESS_TOKEN_MAX} characters`);
  let progress = 0;
  let last: { readonly state: string; readonly at: number } | undefined;
  return (state) => {
    const now = performance.now();
    if (last?.state === state && now - last.at < PROGRESS_EVERY_MS) return;
    last = { state, at: now };
    progress += 1;
    const params = { progressToken, progress, message: state };
    // The client may have disconnected.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
