// An adapter of Memories as others write one, for tests: the paths of docs/memory.md over HTTP, with a bearer token.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MemoryAdapter {
  readonly endpoint: string;
  /** Answers 503 while it is set. */
  away: boolean;
  readonly entries: Map<string, string>;
  readonly stop: () => Promise<void>;
}

interface AdapterBody {
  readonly namespace: string;
  readonly memory: string;
  readonly key: string;
  readonly value: string;
  readonly query: string;
  readonly top_k: number;
  readonly prefix: string;
  readonly after?: string;
  readonly limit: number;
}

const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

export async function startMemoryAdapter(token: string): Promise<MemoryAdapter> {
  const entries = new Map<string, string>();
  const adapter = { away: false, entries };
  const server = createServer((request, response) => {
    void answer(request).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      () => response.destroy(),
    );
  });
  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (adapter.away) return { status: 503, body: { error: 'no adapter today' } };
    if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: 'who are you?' } };
    if (request.method === 'GET' && request.url === '/memory/ping') return { status: 200, body: { status: 'ok' } };
    const operation = /^\/memory\/(put|get|search|list|delete)$/.exec(request.url ?? '')?.[1];
    if (request.method !== 'POST' || operation === undefined) return { status: 404, body: { error: 'no such path' } };
    return { status: 200, body: perform(entries, operation, JSON.parse(Buffer.concat(chunks).toString()) as AdapterBody) };
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(adapter, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/memory/`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function perform(entries: Map<string, string>, operation: string, body: AdapterBody): object {
  const { namespace, memory, key, value, prefix, limit } = body;
  const place = `${namespace}/${memory}\n`;
  const own = [...entries].filter(([id]) => id.startsWith(place)).map(([id, text]) => ({ key: id.slice(place.length), value: text }));
  if (operation === 'put') {
    const created = !entries.has(place + key);
    entries.set(place + key, value);
    return { key, created };
  }
  if (operation === 'get') return { found: entries.has(place + key), key, value: entries.get(place + key) ?? '' };
  if (operation === 'delete') return { key, deleted: entries.delete(place + key) };
  if (operation === 'search') {
    const results = own.filter((entry) => entry.value.includes(body.query)).map((entry) => ({ ...entry, score: 0.75 }));
    return { results: results.slice(0, body.top_k), count: Math.min(results.length, body.top_k) };
  }
  const all = own
    .filter((entry) => entry.key.startsWith(prefix) && (body.after === undefined || compare(entry.key, body.after) > 0))
    .sort((one, other) => compare(one.key, other.key));
  const page = all.slice(0, limit);
  return { entries: page, count: page.length, ...(all.length > limit && { continue: page.at(-1)?.key }) };
}
