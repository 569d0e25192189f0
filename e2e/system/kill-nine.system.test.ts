// An acknowledged write survives kill -9: a real svcd is killed at random points under concurrent writes, again and again.
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { seededRandom } from '../../server/testing/random.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

/** Each round starts a server. The lane of faults has the long form. */
const ROUNDS = process.env['SVC_TEST_SCALE'] === 'long' ? 50 : 8;
const WRITERS = 8;
/** Maximum random delay of the kill after a round's first acknowledged write, so that a busy machine has writes to lose, too. */
const KILL_AFTER_MAX_MS = 100;

const dataDir = mkdtempSync(join(tmpdir(), 'svcd-kill-'));
let running: ServerProcess | undefined;
afterAll(async () => {
  await running?.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<ServerProcess> {
  running = await startServerProcess({ dataDir, args: ['--embedded-worker=false', '--log-level', 'warn'] });
  return running;
}

interface KnownState {
  /** The version of the last acknowledged write; undefined after an acknowledged delete. */
  version: number | undefined;
  /** The request in flight at the kill, if any: the server may or may not have executed it. */
  pending: 'write' | 'delete' | undefined;
}

const options = (method: string, body?: unknown) => ({
  method,
  headers: { 'content-type': 'application/json' },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});
const role = (name: string, n: number) => ({
  kind: 'AgentRole',
  metadata: { name },
  spec: { description: `round ${n}`, permissions: ['a', 'b'] },
});

interface Writing {
  readonly url: string;
  readonly known: Map<string, KnownState>;
  readonly onAcknowledged: () => void;
}

/** One writer: creates, updates and deletes its own objects until the server is killed. */
async function write(prefix: string, { url, known, onAcknowledged }: Writing): Promise<void> {
  for (let n = 0; ; n += 1) {
    const name = `${prefix}-${Math.floor(n / 3)}`;
    const action = n % 3;
    if (action === 2 && Math.floor(n / 3) % 2 === 0) continue;
    const entry = known.get(name) ?? { version: undefined, pending: undefined };
    known.set(name, { ...entry, pending: action === 2 ? 'delete' : 'write' });
    try {
      const response =
        action === 2
          ? await fetch(`${url}/v1/agent-roles/${name}`, options('DELETE'))
          : await fetch(`${url}/v1/agent-roles`, options('POST', role(name, n)));
      const stored = (await response.json()) as { metadata: { resourceVersion: string } };
      expect([200, 201]).toContain(response.status);
      known.set(name, { version: action === 2 ? undefined : Number(stored.metadata.resourceVersion), pending: undefined });
      onAcknowledged();
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function verify(server: ServerProcess, known: Map<string, KnownState>, prefix: string): Promise<string[]> {
  const lost: string[] = [];
  for (const [name, { version, pending }] of known) {
    if (!name.startsWith(prefix)) continue;
    const response = await fetch(`${server.url}/v1/agent-roles/${name}`);
    const found = response.status === 200 ? Number((await response.json()).metadata.resourceVersion) : undefined;
    const ifDone = pending === 'write' ? (version ?? 0) + 1 : undefined;
    const kept = found === version || (pending !== undefined && found === ifDone);
    if (!kept) lost.push(`${name}: acknowledged ${version}, found ${found}`);
  }
  return lost;
}

test(`every acknowledged write survives each of ${ROUNDS} kills, and the change log has no gap`, { timeout: 600_000 }, async () => {
  const { seed, random } = seededRandom();
  const known = new Map<string, KnownState>();
  let server = await start();
  for (let round = 0; round < ROUNDS; round += 1) {
    const prefix = `r${round}w`;
    const { url, end } = server;
    const begun = new EventEmitter();
    const acknowledgedOne = once(begun, 'acknowledged');
    const writing = { url, known, onAcknowledged: () => void begun.emit('acknowledged') };
    const writers = Array.from({ length: WRITERS }, (_, w) => write(`${prefix}${w}`, writing));
    await Promise.race([acknowledgedOne, Promise.all(writers)]);
    await new Promise((resolve) => setTimeout(resolve, random() * KILL_AFTER_MAX_MS));
    await end('SIGKILL');
    await Promise.all(writers);
    server = await start();
    expect(await verify(server, known, prefix), `seed ${seed}, round ${round}, ${url}`).toEqual([]);
  }
  const acknowledged = [...known.values()].filter((entry) => entry.version !== undefined || entry.pending === undefined).length;
  expect(await verify(server, known, 'r'), `seed ${seed}, at the end`).toEqual([]);
  expect(await gaps(server.url)).toEqual([]);
  expect(acknowledged).toBeGreaterThanOrEqual(ROUNDS);
  console.log(`kill -9: seed ${seed}, ${ROUNDS} kills, ${known.size} objects, ${acknowledged} acknowledged, none lost`);
  await server.end();
});

/** Missing sequence numbers in the event list. */
async function gaps(url: string): Promise<string[]> {
  const found: string[] = [];
  let last = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = (await (await fetch(`${url}/v1/events?limit=1000${after && `&after=${after}`}`)).json()) as {
      items: { id: string }[];
      continue?: string;
    };
    for (const { id } of page.items) {
      if (Number(id) !== last + 1) found.push(`${last} → ${id}`);
      last = Number(id);
    }
    after = page.continue;
  }
  return found;
}
