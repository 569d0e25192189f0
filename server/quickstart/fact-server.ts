// The tool of the quickstart: a small search over facts about the tides, on loopback. Deterministic, and bounded like a real service.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const BODY_MAX_BYTES = 64 * 1024;
const MATCHES_MAX = 2;

interface Fact {
  readonly fact: string;
  readonly source: string;
}

const FACTS: readonly Fact[] = [
  {
    fact: "The Moon's gravity pulls hardest on the water on the near side of the Earth and causes most of the tides.",
    source: 'Oceanography primer, chapter 3',
  },
  { fact: 'The Sun adds to the tides with a little less than half of the effect of the Moon.', source: 'Oceanography primer, chapter 3' },
  { fact: 'Most coasts see two high tides a day, about 12 hours and 25 minutes apart.', source: 'Harbour handbook, tables' },
  {
    fact: 'There are two bulges of water, one facing the Moon and one on the far side; the Earth turns through both each day.',
    source: 'Oceanography primer, chapter 4',
  },
  {
    fact: 'When Sun and Moon pull in one line, at new and full moon, spring tides are the highest.',
    source: 'Harbour handbook, introduction',
  },
  { fact: 'Blue light is scattered by air more than red light, which makes the daytime sky blue.', source: 'Atmospheric optics, page 12' },
];

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? [];

/** The facts that share the most words with the query, best first; ties keep their order. */
export function searchFacts(query: string): Fact[] {
  const wanted = new Set(wordsOf(query));
  return FACTS.map((fact) => ({ fact, score: wordsOf(fact.fact).filter((word) => wanted.has(word)).length }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MATCHES_MAX)
    .map(({ fact }) => fact);
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_MAX_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function queryOf(body: string): string | undefined {
  try {
    const value = JSON.parse(body) as { query?: unknown } | null;
    return typeof value?.query === 'string' ? value.query : undefined;
  } catch {
    return undefined;
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST' || request.url !== '/search') return answer(response, 404, { error: 'POST /search is all there is' });
  const body = await readBody(request);
  if (body === undefined) return answer(response, 413, { error: 'the body is too large' });
  const query = queryOf(body);
  if (query === undefined) return answer(response, 400, { error: 'the body must be {"query": "…"}' });
  answer(response, 200, { query, matches: searchFacts(query) });
}

export interface FactServer {
  /** Where to POST queries. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Listens on a free loopback port. */
export async function startFactServer(): Promise<FactServer> {
  const server: Server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/search`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
