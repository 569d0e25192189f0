// Conversations through the API of a real svcd, beside plain Tasks in the same run: latencies, fan-out, rate, and what a turn costs.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServerProcess, type ServerProcess } from '../server/testing/server-process.ts';
import { loopbackModel } from './loopback-model.ts';
import { cpuMs, writtenBytes } from './process-usage.ts';
import { compared, percentile, type Row } from './row.ts';
import { post, SOLO_SYSTEM, tasksPerSecond, watchKind } from './task-load.ts';
import { followSession } from './session-reader.ts';

const LATENCY_TURNS = 120;
const WARM_UP_TURNS = 20;
const READERS = 100;
const PIECES = 400;
const PIECE_MS = 10;
const SESSIONS = 1_000;
const TURNS = 5;
const CLIENTS = 64;
const TASKS_MS = 5_000;
const LONG_TURNS = 500;
const SAMPLE_TURNS = 25;
const CHECKPOINT_TURNS = 200;

interface Model {
  readonly url: string;
  /** When the newest request arrived, by `performance.now()`. */
  requestAt: number;
  /** When each piece of the newest answer was written. */
  piecesAt: number[];
  /** Pieces of the next answers. */
  pieces: number;
  close(): void;
}

/** Streams its answers: piece n is the text `n `. */
async function startModel(): Promise<Model> {
  const server = createServer((request, response) => {
    model.requestAt = performance.now();
    model.piecesAt = [];
    request.resume().on('end', () => void speak(response));
  });
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', model: 'loopback', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const speak = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let n = 0; n < model.pieces; n += 1) {
      if (n > 0) await new Promise((resolve) => setTimeout(resolve, PIECE_MS));
      model.piecesAt.push(performance.now());
      response.write(chunk({ content: `${n} ` }, null));
    }
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model: Model = { url, requestAt: 0, piecesAt: [], pieces: 1, close: () => void server.close() };
  return model;
}

let keys = 0;

/** Returns when the turn was acknowledged, by `performance.now()`. */
async function submit(url: string, session: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `key-${(keys += 1)}` };
  const response = await fetch(`${url}/v1/sessions/${session}/turns`, { method: 'POST', headers, body: '{"content":"Hello there"}' });
  const acknowledged = performance.now();
  if (response.status !== 202) throw new Error(await response.text());
  await response.arrayBuffer();
  return acknowledged;
}

const createSession = (url: string, name: string, spec: object) => post(`${url}/v1/sessions`, { metadata: { name }, spec });

async function latencyRows({ url }: ServerProcess, model: Model): Promise<Row[]> {
  await createSession(url, 'quick', { system: 'loopback' });
  const reader = await followSession(url, 'quick');
  const deltas: number[] = [];
  const requests: number[] = [];
  for (let turn = 0; turn < WARM_UP_TURNS + LATENCY_TURNS; turn += 1) {
    const delta = reader.next('message.delta');
    const completed = reader.next('turn.completed');
    const acknowledged = await submit(url, 'quick');
    const { at } = await delta;
    await completed;
    if (turn < WARM_UP_TURNS) continue;
    deltas.push(at - (model.piecesAt[0] ?? 0));
    // A request may overtake the answer to its own turn.
    requests.push(Math.max(0, model.requestAt - acknowledged));
  }
  reader.close();
  return [
    { name: 'model first byte → first delta at a reader, p50', value: percentile(deltas, 50), unit: 'ms', note: 'target at most 5' },
    { name: 'model first byte → first delta at a reader, p99', value: percentile(deltas, 99), unit: 'ms', note: 'target at most 20' },
    { name: 'turn accepted → model request, p50', value: percentile(requests, 50), unit: 'ms', note: 'target at most 5' },
    { name: 'turn accepted → model request, p99', value: percentile(requests, 99), unit: 'ms' },
  ];
}

async function fanOutRows({ url }: ServerProcess, model: Model): Promise<Row[]> {
  await createSession(url, 'wide', { system: 'loopback' });
  const lags: number[] = [];
  const readers = await Promise.all(
    Array.from({ length: READERS }, () =>
      followSession(url, 'wide', ({ type, payload }, at) => {
        if (type !== 'message.delta') return;
        for (const piece of String(payload['delta']).trim().split(' ')) lags.push(at - (model.piecesAt[Number(piece)] ?? at));
      }),
    ),
  );
  model.pieces = PIECES;
  const completed = readers.map((reader) => reader.next('turn.completed'));
  await submit(url, 'wide');
  await Promise.all(completed);
  model.pieces = 1;
  for (const reader of readers) reader.close();
  const note = `${PIECES} pieces, 100 each second; text is stored in steps of 50 ms`;
  if (lags.length !== PIECES * READERS) throw new Error(`${lags.length} of ${PIECES * READERS} pieces arrived`);
  return [
    { name: `piece of text → each of ${READERS} readers, p50`, value: percentile(lags, 50), unit: 'ms', note },
    { name: `piece of text → each of ${READERS} readers, p99`, value: percentile(lags, 99), unit: 'ms', note },
  ];
}

/**
 * Every client takes Sessions one after the other and sends each turn when the one before it has ended. Plain Tasks run before and behind them,
 * since a process gets faster for as long as its code is compiled: the reference is the mean.
 */
async function rateRow({ url }: ServerProcess): Promise<Row> {
  const plain = () => tasksPerSecond(url, { concurrency: CLIENTS, forMs: TASKS_MS });
  const names = Array.from({ length: SESSIONS }, (_, n) => `many-${n}`);
  const created = [...names];
  const create = async () => {
    for (let name = created.pop(); name !== undefined; name = created.pop()) await createSession(url, name, { system: 'one' });
  };
  await Promise.all(Array.from({ length: 16 }, create));
  const abort = new AbortController();
  const waiting = new Map<string, { readonly turns: number; readonly ended: () => void }>();
  await watchKind(
    `${url}/v1/sessions`,
    ({ name, resource }) => {
      const { completedTurns = 0 } = resource.status as { completedTurns?: number };
      const waiter = waiting.get(name);
      if (waiter && completedTurns >= waiter.turns) waiter.ended();
    },
    abort.signal,
  );
  const before = await plain();
  const began = performance.now();
  const client = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      for (let turns = 1; turns <= TURNS; turns += 1) {
        const ended = new Promise<void>((resolve) => waiting.set(name ?? '', { turns, ended: resolve }));
        await submit(url, name);
        await ended;
      }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const value = (SESSIONS * TURNS * 1000) / (performance.now() - began);
  abort.abort();
  const reference = (before + (await plain())) / 2;
  const name = `${SESSIONS.toLocaleString('en')} Sessions of ${TURNS} turns, ${CLIENTS} at once`;
  return compared({ name, value, unit: 'turns/s', reference, referenceName: 'plain Tasks', note: 'target at least 60 %' });
}

interface TurnCost {
  readonly ms: number;
  readonly writtenKb: number;
  readonly cpuMs: number;
}

const usedBy = ({ pid }: ServerProcess) => ({ writtenBytes: writtenBytes(pid), cpuMs: cpuMs(pid) });

/** Means over the next turns of a Session, one after the other. */
async function turnCost(server: ServerProcess, session: string, count: number): Promise<TurnCost> {
  const reader = await followSession(server.url, session);
  const before = usedBy(server);
  const began = performance.now();
  for (let turn = 0; turn < count; turn += 1) {
    const completed = reader.next('turn.completed');
    await submit(server.url, session);
    await completed;
  }
  const ms = (performance.now() - began) / count;
  reader.close();
  const after = usedBy(server);
  return {
    ms,
    writtenKb: (after.writtenBytes - before.writtenBytes) / count / 1_024,
    cpuMs: (after.cpuMs - before.cpuMs) / count,
  };
}

async function lengthRows(server: ServerProcess): Promise<Row[]> {
  await createSession(server.url, 'long', { system: 'one' });
  await turnCost(server, 'long', 5);
  const early = await turnCost(server, 'long', SAMPLE_TURNS);
  await turnCost(server, 'long', LONG_TURNS - 2 * SAMPLE_TURNS - 5);
  const late = await turnCost(server, 'long', SAMPLE_TURNS);
  const row = (name: string, value: number, { unit, reference }: { unit: string; reference: number }) =>
    compared({ name, value, unit, reference, referenceName: 'turns 5 to 30', note: 'target at most 1.5' });
  return [
    row('time of a turn up to turn 500', late.ms, { unit: 'ms', reference: early.ms }),
    row('bytes written for a turn up to turn 500', late.writtenKb, { unit: 'KiB', reference: early.writtenKb }),
  ];
}

async function checkpointRow(server: ServerProcess): Promise<Row> {
  await createSession(server.url, 'kept', { system: 'one' });
  await createSession(server.url, 'unkept', { system: 'one', checkpoint_retention: { max_count: 0 } });
  // In turns, so that both get the same share of what else the process does.
  const cost = { kept: 0, unkept: 0 };
  const rounds = 4;
  for (let round = 0; round < rounds; round += 1)
    for (const session of ['kept', 'unkept'] as const)
      cost[session] += (await turnCost(server, session, CHECKPOINT_TURNS / rounds)).cpuMs / rounds;
  const note = `target at most 1; CPU of a turn ${cost.kept.toFixed(2)} ms, without checkpoints ${cost.unkept.toFixed(2)} ms`;
  return { name: 'checkpoint of a turn, CPU', value: cost.kept - cost.unkept, unit: 'ms', note };
}

export async function benchSessions(): Promise<Row[]> {
  const model = await startModel();
  const args = ['--log-level', 'warn', '--allow-private-model-endpoints', '--max-watches-per-ip', '1000'];
  const server = await startServerProcess({ args });
  try {
    const agents = [
      { kind: 'Agent', metadata: { name: 'speaker' }, spec: { model_ref: 'loopback', prompt: 'Answer.' } },
      { kind: 'AgentSystem', metadata: { name: 'loopback' }, spec: { agents: ['speaker'] } },
    ];
    await post(`${server.url}/v1/apply`, [...SOLO_SYSTEM, ...loopbackModel('loopback', model.url), ...agents]);
    return [
      ...(await latencyRows(server, model)),
      ...(await fanOutRows(server, model)),
      ...(await lengthRows(server)),
      await checkpointRow(server),
      await rateRow(server),
    ];
  } finally {
    await server.dispose();
    model.close();
  }
}
