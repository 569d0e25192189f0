// An embedded Memory of 100,000 entries in a real svcd: searches, writes, the start and the memory of the process, beside bare work of the same kind.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabaseThread } from '../server/memory/sqlite/database-thread.ts';
import { EntryDatabase } from '../server/memory/sqlite/entry-database.ts';
import { openDatabase } from '../server/store/sqlite/driver.ts';
import { startServerProcess, type ServerProcess } from '../server/testing/server-process.ts';
import { loopbackModel } from './loopback-model.ts';
import { createCorpus, DIMENSIONS, type Corpus } from './memory-corpus.ts';
import { residentMb } from './process-usage.ts';
import { compared, percentile, type Row } from './row.ts';
import { post } from './task-load.ts';

const ENTRIES = 100_000;
const BATCH = 1_000;
const RESULTS = 10;
const WARM_UP = 10;
const ROUNDS = 10;
/** Operations of each kind in a round: ours and the bare ones take turns, so that noise falls on both. */
const CALLS = 20;
const STARTS = 3;
const FILE_BYTES_MAX = 4 * 1024 * 1024 * 1024;
const FLAGS = ['--log-level', 'warn', '--allow-private-model-endpoints'];

interface Filled {
  readonly corpus: Corpus;
  readonly texts: readonly string[];
  /** Vectors one behind the other. */
  readonly vectors: Float32Array;
}

/** Texts of queries and values with the vectors that the model sends for them. */
type Vectors = Map<string, Float32Array>;

export async function benchMemory(): Promise<Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-memory-'));
  const vectors: Vectors = new Map();
  const model = await startModel(vectors);
  try {
    const { uids, emptyMb } = await createObjects(dataDir, model.url);
    const filled = fill(join(dataDir, 'memories', `${uids.vector}.db`));
    copyFileSync(join(dataDir, 'memories', `${uids.vector}.db`), join(dataDir, 'memories', `${uids.words}.db`));
    const bare = openBare(dataDir, join(dataDir, 'memories', `${uids.words}.db`));
    try {
      const start = await startRow(dataDir, vectors, filled);
      const server = await startServerProcess({ dataDir, args: FLAGS });
      const rows = [...(await searchRows({ server, bare, filled, vectors })), await putRow({ server, bare, filled, vectors })];
      const memory = memoryRow(server, emptyMb);
      await server.end();
      const write = await writeRow(join(dataDir, 'memories', `${uids.vector}.db`), bare, filled);
      return [...rows, write, start, memory];
    } finally {
      bare.close();
    }
  } finally {
    model.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function startModel(vectors: Vectors) {
  const answer = async (request: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: readonly string[] };
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: [...(vectors.get(text) ?? new Float32Array(DIMENSIONS).fill(1))],
    }));
    return JSON.stringify({ object: 'list', model: 'loopback', data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  };
  const server = createServer((request, response) => {
    void answer(request).then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** The objects, with a Memory that searches by vectors and one that searches by words. */
async function createObjects(dataDir: string, modelUrl: string) {
  const server = await startServerProcess({ dataDir, args: FLAGS });
  const memory = (name: string, more: object = {}) => ({ kind: 'Memory', metadata: { name }, spec: { provider: 'embedded', ...more } });
  await post(`${server.url}/v1/apply`, [
    ...loopbackModel('loopback', modelUrl),
    memory('vector', { embedding_model: 'loopback' }),
    memory('words'),
  ]);
  for (let call = 0; call < WARM_UP; call += 1) await found(server, 'vector', 'nothing');
  const uidOf = async (name: string) =>
    ((await (await fetch(`${server.url}/v1/memories/${name}`)).json()) as { metadata: { uid: string } }).metadata.uid;
  const uids = { vector: await uidOf('vector'), words: await uidOf('words') };
  const emptyMb = residentMb(server.pid);
  await server.end();
  for (const uid of Object.values(uids))
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, 'memories', `${uid}.db${suffix}`), { force: true });
  return { uids, emptyMb };
}

function fill(path: string): Filled {
  mkdirSync(join(path, '..'), { recursive: true });
  const corpus = createCorpus();
  const texts: string[] = [];
  const vectors = new Float32Array(ENTRIES * DIMENSIONS);
  const database = new EntryDatabase({ path, bytesMax: FILE_BYTES_MAX });
  for (let start = 0; start < ENTRIES; start += BATCH) {
    const puts = Array.from({ length: BATCH }, (_, index) => {
      const vector = corpus.vector();
      vectors.set(vector, (start + index) * DIMENSIONS);
      return { key: `notes/${start + index}`, value: corpus.text(), vector };
    });
    texts.push(...puts.map(({ value }) => value));
    database.write({ puts, deletes: [] });
  }
  database.close();
  return { corpus, texts, vectors };
}

interface Bare {
  matching(words: string): unknown;
  write(text: string, vector: Float32Array): void;
  close(): void;
}

/** SQLite by itself: its full-text index over the same entries, and a table with the same durability. */
function openBare(dataDir: string, entries: string): Bare {
  const path = join(dataDir, 'bare.db');
  copyFileSync(entries, path);
  const db = openDatabase(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (value TEXT NOT NULL, vector BLOB NOT NULL)');
  const match = db.prepare(
    `SELECT entries.key, entries.value FROM words JOIN entries ON entries.id = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ${RESULTS}`,
  );
  const insert = db.prepare('INSERT INTO bare (value, vector) VALUES (?, ?)');
  return {
    matching: (words) => match.all(words.split(' ').join(' OR ')),
    write: (text, vector) => void insert.run(text, new Uint8Array(vector.buffer)),
    close: () => db.close(),
  };
}

/** Places of the nearest vectors, by every product. */
function scan(vectors: Float32Array, query: Float32Array): number[] {
  const scores = new Float32Array(ENTRIES);
  for (let place = 0, start = 0; place < ENTRIES; place += 1, start += DIMENSIONS) {
    let product = 0;
    let square = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) {
      const value = vectors[start + at]!;
      product += value * query[at]!;
      square += value * value;
    }
    scores[place] = product / Math.sqrt(square);
  }
  const best: number[] = [];
  for (let place = 0; place < ENTRIES; place += 1) {
    if (best.length === RESULTS && scores[place]! <= scores[best[RESULTS - 1]!]!) continue;
    best.push(place);
    best.sort((one, other) => scores[other]! - scores[one]!).splice(RESULTS);
  }
  return best;
}

async function found(server: ServerProcess, memory: string, query: string): Promise<string[]> {
  const response = await fetch(`${server.url}/v1/memories/${memory}/entries?limit=${RESULTS}&q=${encodeURIComponent(query)}`);
  const body = (await response.json()) as { entries?: readonly { key: string }[] };
  if (!body.entries) throw new Error(JSON.stringify(body));
  return body.entries.map(({ key }) => key);
}

interface Setup {
  readonly server: ServerProcess;
  readonly bare: Bare;
  readonly filled: Filled;
  readonly vectors: Vectors;
}

async function timed<T>(samples: number[], work: () => T | Promise<T>): Promise<T> {
  const began = performance.now();
  const done = await work();
  samples.push(performance.now() - began);
  return done;
}

/** Both in turns, after a warm-up. Returns the samples of each. */
async function inTurns(ours: (call: number) => Promise<unknown>, bare: (call: number) => unknown) {
  const samples = { ours: [] as number[], bare: [] as number[] };
  for (let call = 0; call < WARM_UP; call += 1) await ours(call);
  bare(0);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let call = 0; call < CALLS; call += 1) await timed(samples.ours, () => ours(round * CALLS + call));
    for (let call = 0; call < CALLS; call += 4) await timed(samples.bare, () => bare(round * CALLS + call));
  }
  return { value: percentile(samples.ours, 95), reference: percentile(samples.bare, 95), p50: percentile(samples.ours, 50) };
}

async function searchRows({ server, bare, filled, vectors }: Setup): Promise<Row[]> {
  const { corpus, texts } = filled;
  const queries = Array.from({ length: ROUNDS * CALLS }, () => corpus.below(ENTRIES));
  const near = queries.map((place) => corpus.near(filled.vectors.subarray(place * DIMENSIONS, (place + 1) * DIMENSIONS)));
  for (const [call, vector] of near.entries()) vectors.set(`query ${call}`, vector);
  const keys: string[][] = [];
  const nearest = new Map<number, number[]>();
  const byVector = await inTurns(
    async (call) => void (keys[call] = await found(server, 'vector', `query ${call}`)),
    (call) => nearest.set(call, scan(filled.vectors, near[call]!)),
  );
  const hits = [...nearest].map(([call, places]) => places.filter((place) => keys[call]!.includes(`notes/${place}`)).length / RESULTS);
  const recall = (100 * hits.reduce((sum, hit) => sum + hit, 0)) / hits.length;
  const words = queries.map((place) => corpus.wordsOf(texts[place]!));
  const byWords = await inTurns(
    (call) => found(server, 'words', words[call]!),
    (call) => bare.matching(words[call]!),
  );
  return [
    row('Memory of 100 k: search by vector', byVector, {
      referenceName: 'every product, in one loop',
      note: `finds ${recall.toFixed(1)} % of the nearest ${RESULTS}; the call of the model included; target ≤ 50 ms`,
    }),
    row('Memory of 100 k: search by words', byWords, { referenceName: 'FTS5 by rank', note: '1 to 4 words; target ≤ 10 ms' }),
  ];
}

/** The thread of the databases with a request and a commit, as the server calls it. */
async function writeRow(database: string, bare: Bare, { corpus }: Filled): Promise<Row> {
  const thread = createDatabaseThread();
  const vector = corpus.vector();
  const text = corpus.text();
  const write = await inTurns(
    (call) => thread.run({ database, what: 'Memory' }, 'write', { puts: [{ key: `written/${call}`, value: text, vector }], deletes: [] }),
    () => bare.write(text, vector),
  );
  await thread.close();
  return row('Memory of 100 k: durable write', write, { referenceName: 'insert and commit in SQLite', note: 'target ≤ 2 ms' });
}

async function putRow({ server, bare, filled: { corpus } }: Setup): Promise<Row> {
  const texts = Array.from({ length: ROUNDS * CALLS + WARM_UP }, () => corpus.text());
  const vector = corpus.vector();
  const put = async (call: number) => {
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ value: texts[call] }) };
    const response = await fetch(`${server.url}/v1/memories/vector/entries/new%2F${call}`, init);
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  const write = await inTurns(put, (call) => bare.write(texts[call]!, vector));
  return row('Memory of 100 k: PUT of an entry', write, {
    referenceName: 'insert and commit in SQLite',
    note: 'REST, the call of the model and the durable write',
  });
}

const row = (
  name: string,
  { value, reference, p50 }: Awaited<ReturnType<typeof inTurns>>,
  { referenceName, note }: { referenceName: string; note: string },
): Row => compared({ name, value, unit: 'ms p95', reference, referenceName, note: `${p50.toFixed(2)} ms p50; ${note}` });

/** From the start of the process to the answer of the first search. */
async function startRow(dataDir: string, vectors: Vectors, { corpus }: Filled): Promise<Row> {
  vectors.set('first', corpus.vector());
  const samples = { ours: [] as number[], bare: [] as number[] };
  for (let start = 0; start < STARTS; start += 1) {
    const empty = await startServerProcess({ args: FLAGS });
    samples.bare.push(empty.readyMs);
    await empty.dispose();
    const server = await startServerProcess({ dataDir, args: FLAGS });
    const first: number[] = [];
    await timed(first, () => found(server, 'vector', 'first'));
    samples.ours.push(server.readyMs + (first[0] ?? NaN));
    await server.end();
  }
  const [value, reference] = [percentile(samples.ours, 50), percentile(samples.bare, 50)];
  return compared({
    name: 'start with a Memory of 100 k, first search included',
    value,
    unit: 'ms',
    reference,
    referenceName: 'start alone, nothing stored',
    note: 'target ≤ 1,000 ms',
  });
}

const memoryRow = ({ pid }: ServerProcess, reference: number): Row =>
  compared({
    name: 'resident memory with two Memories of 100 k',
    value: residentMb(pid),
    unit: 'MB',
    reference,
    referenceName: 'the same, empty',
    note: 'after all searches and writes; target ≤ 250 MB',
  });
