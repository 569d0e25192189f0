// POST /mcp: the bridge between the HTTP surface and the MCP server.
import { ERROR_TABLE, ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { Logger } from '../../log/log.ts';
import { decodeUtf8, parseJson } from '../../manifest/parse.ts';
import { BODY_MAX_BYTES } from '../../mcp/endpoint/limits.ts';
import type { McpEndpoint, McpEndpointOptions, McpRequest } from '../../mcp/endpoint/protocol.ts';
import type { McpCalls } from '../../mcp/endpoint/service.ts';
import { JSON_TYPE } from '../body/documents.ts';
import type { CallerGate } from '../gate/caller.ts';
import { json, type Call, type ErrorShape, type Reply, type Route } from '../route.ts';
import { EVENT_STREAM_TYPE } from '../sse/event-stream.ts';
import type { StreamHub } from '../sse/stream-hub.ts';
import { ref } from './schemas.ts';
import { streamCaller } from './watches.ts';

export interface McpServices {
  readonly mcpCalls: McpCalls;
  readonly gate: CallerGate;
  readonly hub: StreamHub;
  readonly log: Pick<Logger, 'error'>;
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const LISTEN = 'subscriptions/listen';
const PROTOCOL_HEADERS = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

const errorBody = (code: number, message: string, id: unknown = null) => ({
  jsonrpc: '2.0',
  id: typeof id === 'string' || typeof id === 'number' ? id : null,
  error: { code, message },
});

const RPC_ERRORS: ErrorShape = {
  schema: ref('JsonRpcError'),
  body: (error) => {
    const { error: fields, ...message } = errorBody(ERROR_TABLE[error.code].jsonRpcCode, error.message);
    return { ...message, error: { ...fields, ...(error.details && { data: error.details }) } };
  },
};

type Message = { readonly value: unknown } | { readonly refused: Reply };

function refuse(status: number, error: { readonly code: number; readonly message: string; readonly id?: unknown }): Message {
  return { refused: json(errorBody(error.code, error.message, error.id), { status }) };
}

async function readMessage(call: Call): Promise<Message> {
  const bytes = await call.readBytes();
  let value: unknown;
  try {
    value = parseJson(decodeUtf8(bytes));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return refuse(error.httpStatus, { code: PARSE_ERROR, message: error.message });
  }
  if (Array.isArray(value)) return refuse(400, { code: INVALID_REQUEST, message: 'batches are not supported: send one message' });
  if (!isObject(value) || value['jsonrpc'] !== '2.0')
    return refuse(400, { code: INVALID_REQUEST, message: 'the body is not a JSON-RPC 2.0 message' });
  // The list of tools is read, not followed.
  if (value['method'] === LISTEN) return refuse(404, { code: METHOD_NOT_FOUND, message: `${LISTEN} is not offered`, id: value['id'] });
  return { value };
}

/** Headers of the protocol alone: credentials go no further. A client that takes anything takes both forms of an answer. */
function protocolHeaders(call: Call): Headers {
  const headers = new Headers();
  for (const name of PROTOCOL_HEADERS) {
    const value = call.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const accept = call.header('accept') ?? '*/*';
  headers.set('accept', accept.includes('*/*') ? `${JSON_TYPE}, ${EVENT_STREAM_TYPE}` : accept);
  return headers;
}

async function* chunksOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield Buffer.from(value);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function replyWith(response: Response, { services, call, gone }: Serving): Promise<Reply> {
  const { body, status } = response;
  const contentType = response.headers.get('content-type') ?? '';
  // A stopping server opens no more streams, and the answer follows soon.
  if (body === null || !contentType.startsWith(EVENT_STREAM_TYPE) || services.hub.isClosed)
    return { type: 'text', status, contentType: contentType === '' ? JSON_TYPE : contentType, text: await response.text() };
  try {
    const caller = { ...streamCaller(services.gate, call, 'mcp'), endsWithServer: true } as const;
    return await services.hub.reply(caller, (signal) => {
      signal.addEventListener('abort', () => gone.abort());
      return async (stream) => {
        for await (const chunk of chunksOf(body, signal)) if (!(await stream.send([chunk]))) return;
        await stream.finish([]);
      };
    });
  } catch (error) {
    gone.abort();
    throw error;
  }
}

interface Serving {
  readonly services: McpServices;
  readonly call: Call;
  readonly gone: AbortController;
}

async function serve(services: McpServices, endpoint: McpEndpoint, call: Call): Promise<Reply> {
  const message = await readMessage(call);
  if ('refused' in message) return message.refused;
  const gone = new AbortController();
  const onClose = () => gone.abort();
  const whileOpen: McpRequest['whileOpen'] = (work) => services.hub.whileOpen(call.request, work);
  const { socket } = call.request;
  socket.once('close', onClose);
  if (socket.destroyed) onClose();
  try {
    return await services.hub.reserve(call.clientAddress, async () => {
      const request = { context: call.context, gone: gone.signal, whileOpen };
      const response = await endpoint.serve(request, protocolHeaders(call), message.value);
      if (gone.signal.aborted) throw new ServiceError('unavailable', 'the client closed the connection');
      return replyWith(response, { services, call, gone });
    });
  } finally {
    socket.off('close', onClose);
  }
}

/** The package of the protocol is loaded with the first message: most servers never get one. */
async function openEndpoint(options: McpEndpointOptions): Promise<McpEndpoint> {
  const { createMcpEndpoint } = await import('../../mcp/endpoint/protocol.ts');
  return createMcpEndpoint(options);
}

export function mcpRoutes(services: McpServices, version: string): Route[] {
  let endpoint: Promise<McpEndpoint> | undefined;
  const reportError = (error: unknown) => services.log.error({ err: error }, 'a call over MCP failed');
  return [
    {
      method: 'POST',
      path: '/mcp',
      access: 'writer',
      tag: 'MCP',
      operationId: 'serveMcp',
      mayWait: true,
      summary: 'Agent systems as tools of MCP clients',
      description:
        'One JSON-RPC 2.0 message of the Model Context Protocol, revision 2026-07-28 or 2025-11-25 and earlier, without sessions. Tools are the AgentSystems ' +
        'with `spec.mcp.enabled`. A call answers with the output of its run, or with a `handle` when the run waits for a person or takes long.',
      body: {
        description: 'The message.',
        schema: { type: 'object' },
        contentTypes: [JSON_TYPE],
        maxBytes: BODY_MAX_BYTES,
      },
      responses: {
        200: {
          description: 'The answer, as JSON or as server-sent events.',
          schema: { type: 'object' },
          contentType: [JSON_TYPE, EVENT_STREAM_TYPE],
        },
        202: { description: 'The notification was accepted.' },
        406: { description: 'The client accepts only one of the two forms of an answer.', schema: ref('JsonRpcError') },
      },
      errorShape: RPC_ERRORS,
      handle: async (call) => {
        services.gate.admitMcp(call.request);
        endpoint ??= openEndpoint({ calls: services.mcpCalls, version, reportError });
        return serve(services, await endpoint, call);
      },
    },
  ];
}
