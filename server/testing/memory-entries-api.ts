// The endpoints of a Memory's entries over a map, for clients whose failures a real server cannot produce on demand.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MemoryEntriesApi {
  readonly url: string;
  readonly entries: Map<string, string>;
  /** Status of the answer to a request, instead of the answer; undefined: none. */
  fails: (request: { readonly method: string; readonly key: string | undefined; readonly after: string | null }) => number | undefined;
  readonly stop: () => Promise<void>;
}

/** The one Memory is `notes` in namespace `default`. `spec` is its spec. */
export async function startMemoryEntriesApi(spec: object = {}): Promise<MemoryEntriesApi> {
  const entries = new Map<string, string>();
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  const api: MemoryEntriesApi = {
    url: '',
    entries,
    fails: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const { method = 'GET' } = request;
    const [, memory, rest] = /^\/v1\/memories\/([^/]+)(\/entries(?:\/.+)?|\/ingest)?$/.exec(pathname) ?? [];
    const key = rest?.startsWith('/entries/') ? decodeURIComponent(rest.slice('/entries/'.length)) : undefined;
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const fail = (status: number, message: string) => send(status, { error: { code: 'unavailable', message } });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const status = api.fails({ method, key, after: searchParams.get('after') });
    if (status !== undefined) return fail(status, 'the backend does not answer');
    if (memory !== 'notes' || searchParams.get('namespace') !== 'default') return fail(404, `memory default/${memory} does not exist`);
    if (rest === undefined) return send(200, { kind: 'Memory', metadata: { name: 'notes', namespace: 'default' }, spec, status: {} });
    if (rest === '/ingest') {
      const { source, content } = JSON.parse(Buffer.concat(chunks).toString()) as { source: string; content: string };
      entries.set(`${source}/chunk-0000`, content);
      return send(200, { keys: [`${source}/chunk-0000`] });
    }
    if (key === undefined) return send(200, pageOf(entries, searchParams));
    if (method === 'DELETE') return entries.delete(key) ? send(200, { key }) : fail(404, `memory notes has no entry "${key}"`);
    const created = !entries.has(key);
    entries.set(key, (JSON.parse(Buffer.concat(chunks).toString()) as { value: string }).value);
    return send(200, { key, created });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(api, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function pageOf(entries: ReadonlyMap<string, string>, query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 100);
  const q = query.get('q');
  const prefix = query.get('prefix') ?? '';
  const after = query.get('after');
  const all = [...entries]
    .filter(([key, value]) => (q === null ? key.startsWith(prefix) : `${key} ${value}`.includes(q)))
    .map(([key, value]) => ({ key, value, score: q === null ? 0 : 0.5 }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
    .filter(({ key }) => after === null || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0);
  const page = all.slice(0, limit);
  return { entries: page, count: page.length, ...(all.length > limit && { continue: page.at(-1)?.key }) };
}
