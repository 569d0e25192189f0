// MCP servers over HTTP with the official packages, one of each era. Both demand a bearer token.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer as LegacyServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

export interface HttpMcpServer {
  readonly url: string;
  /** Sessions of 2025 are unknown from now on. */
  readonly forgetSessions: () => Promise<void>;
  /** Names of tools that the 2026 server lists besides `echo`. */
  readonly moreTools: Set<string>;
  /** How many streams of changes clients have opened. */
  readonly streams: () => number;
  /** Ends every connection, streams of changes too. */
  readonly disconnect: () => void;
  readonly close: () => Promise<void>;
}

type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>;

interface Served {
  readonly handle: Handle;
  readonly forgetSessions: () => Promise<void>;
  readonly moreTools?: Set<string>;
}

async function listen(token: string, { handle, forgetSessions, moreTools = new Set() }: Served): Promise<HttpMcpServer> {
  let streams = 0;
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      if (request.method === 'GET' || body.includes('"subscriptions/listen"')) streams += 1;
      void handle(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    forgetSessions,
    moreTools,
    streams: () => streams,
    disconnect: () => server.closeAllConnections(),
    async close() {
      await forgetSessions();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `unknownSession`: status of the answer to a session that the server does not know. */
export function startLegacyHttp(token: string, unknownSession = 404): Promise<HttpMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new LegacyServer({ name: 'web', version: '1.0.0' });
    server.registerTool('echo', { description: 'Repeats', inputSchema: { text: z.string() } }, ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
    await server.connect(transport);
    return transport;
  };
  return listen(token, {
    async handle(request, response, body) {
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : await open();
      if (!known) return void response.writeHead(unknownSession).end();
      await known.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
    },
    async forgetSessions() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
      sessions.clear();
    },
  });
}

export function startModernHttp(token: string): Promise<HttpMcpServer> {
  const moreTools = new Set<string>();
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'web', version: '1.0.0' });
    for (const name of ['echo', ...moreTools])
      server.registerTool(name, { description: 'Repeats', inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
        content: [{ type: 'text', text }],
      }));
    return server;
  });
  return listen(token, {
    moreTools,
    async handle(request, response, body) {
      const { method = 'GET', url = '/', headers } = request;
      const web = new Request(`http://${headers.host}${url}`, {
        method,
        headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
        ...(body !== '' && { body }),
      });
      const answer = await handler.fetch(web);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    },
    forgetSessions: () => handler.close(),
  });
}
