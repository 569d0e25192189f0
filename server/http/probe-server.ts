// Small HTTP server of a process without an API: liveness, readiness and metrics. It needs no token and shows no content.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry as MetricsRegistry } from 'prom-client';
import { listenOn } from './listen.ts';
import { collectReadiness, readinessBody, type CheckReady } from './readiness.ts';

export interface ProbeOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly checkReady: CheckReady;
  readonly metrics: MetricsRegistry;
  /** Called for failed checks whose message is not shown. */
  readonly reportError: (error: unknown) => void;
}

export interface ProbeServer {
  /** Resolves once connections are accepted; rejects with a ServiceError when the address cannot be bound. */
  listen(): Promise<void>;
  /** Where it listens; known after `listen`. */
  readonly address: { readonly host: string; readonly port: number; readonly url: string };
  /** Stops accepting and cuts what is open: a probe is short. Idempotent; safe when never started. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const HEADERS_TIMEOUT_MS = 5_000;

function json(status: number, body: unknown): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

async function answer(options: ProbeOptions, path: string): Promise<Answer> {
  switch (path) {
    case '/healthz':
      return json(200, { status: 'ok' });
    case '/readyz': {
      const report = await collectReadiness(options.checkReady, options);
      return json(report.status === 'ok' ? 200 : 503, readinessBody(report));
    }
    case '/metrics':
      return { status: 200, type: options.metrics.contentType, body: await options.metrics.metrics() };
    default:
      return json(404, { error: { code: 'not_found', message: 'This process serves /healthz, /readyz and /metrics only' } });
  }
}

function send(response: ServerResponse, { status, type, body }: Answer, head: boolean): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(head ? undefined : body);
}

async function serve(options: ProbeOptions, { method, url }: { method: string; url: string }, response: ServerResponse): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') {
    const refused = json(405, { error: { code: 'method_not_allowed', message: 'Only GET and HEAD are served here' } });
    return send(response, refused, false);
  }
  try {
    send(response, await answer(options, url.split('?', 1)[0] ?? ''), method === 'HEAD');
  } catch (error) {
    options.reportError(error);
    send(response, json(500, { error: { code: 'internal', message: 'The metrics could not be read; the log says why' } }), false);
  }
}

/** Builds the server without listening: `/healthz`, `/readyz` and `/metrics`, for a worker process. */
export function createProbeServer(options: ProbeOptions): ProbeServer {
  const server: Server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: HEADERS_TIMEOUT_MS }, (request, response) => {
    void serve(options, { method: request.method ?? '', url: request.url ?? '' }, response);
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    listen: () => listenOn(server, options),
    get address() {
      const { address, family, port } = server.address() as AddressInfo;
      return { host: address, port, url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}` };
    },
    close: () => (closing ??= close()),
  };
}
