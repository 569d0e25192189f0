// An acknowledged write survives kill -9: a writing process is killed at random points, again and again, on one database.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { seededRandom } from '../../testing/random.ts';
import type { Store } from '../store.ts';
import { openConnection } from './connection.ts';
import { openSqliteStore } from './open.ts';

/** Each round starts a process. The lane of faults has the long form. */
const ROUNDS = process.env['SVC_TEST_SCALE'] === 'long' ? 20 : 5;
/** Acknowledgements after which a round's process is killed: a random number up to this. */
const ACKNOWLEDGED_MAX = 3_000;
const WRITER = join(import.meta.dirname, '../../testing/store-writer.ts');

const directory = mkdtempSync(join(tmpdir(), 'svc-store-kill-'));
const path = join(directory, 'store.db');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a writer until it has acknowledged `killAfter` writes, kills it, and returns the last acknowledged version of each object. */
function writeUntilKilled(prefix: string, killAfter: number): Promise<Map<string, number>> {
  const child = spawn(process.execPath, ['--import', 'tsx', WRITER, path, prefix], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    let lines = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      lines += text.split('\n').length - 1;
      if (lines >= killAfter) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== 'SIGKILL') return reject(new Error(`the writer ended by itself with ${code ?? signal}`));
      const complete = output.split('\n').slice(0, -1);
      resolve(new Map(complete.map((line) => line.split(' ')).map(([name, version]) => [name ?? '', Number(version)])));
    });
  });
}

async function lostWrites(store: Store, acknowledged: ReadonlyMap<string, number>): Promise<string[]> {
  const lost: string[] = [];
  for (const [name, version] of acknowledged) {
    const object = await store.getObject({ kind: 'Task', namespace: 'default', name });
    const [last] = await store.readJournal(name, (object?.resourceVersion ?? 0) - 1, 2);
    if (!object || object.resourceVersion < version) lost.push(`${name}: ${version} acknowledged, ${object?.resourceVersion} found`);
    else if (last?.seq !== object.resourceVersion)
      lost.push(`${name}: version ${object.resourceVersion} beside journal entry ${last?.seq}`);
  }
  return lost;
}

/** Every seq of the log, after `from`, in order. */
async function readSeqs(store: Store, from: number): Promise<number[]> {
  const seqs: number[] = [];
  for (;;) {
    const changes = await store.readChanges({ after: seqs.at(-1) ?? from, limit: 1_000 });
    if (changes.length === 0) return seqs;
    seqs.push(...changes.map((change) => change.seq));
  }
}

function integrity(): string | undefined {
  const connection = openConnection(path);
  try {
    return connection.prepare<{ integrity_check: string }>('PRAGMA integrity_check').get()?.integrity_check;
  } finally {
    connection.close();
  }
}

test(`finds every acknowledged write after each of ${ROUNDS} kills`, async () => {
  const { seed, random } = seededRandom();
  console.info(`kill -9 at store level: SVC_TEST_SEED=${seed}`);
  let total = 0;
  let head = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const acknowledged = await writeUntilKilled(`r${round}`, 1 + Math.floor(random() * ACKNOWLEDGED_MAX));
    const store = await openSqliteStore({ path, clock: systemClock });
    expect(await lostWrites(store, acknowledged)).toEqual([]);
    const seqs = await readSeqs(store, head);
    expect(seqs).toEqual(seqs.map((_, i) => head + 1 + i));
    head += seqs.length;
    expect((await store.changeBounds()).head).toBe(head);
    expect(await store.getObject({ kind: 'Task', namespace: 'default', name: `r${round}-never` })).toBeUndefined();
    await store.close();
    expect(integrity()).toBe('ok');
    total += [...acknowledged.values()].reduce((sum, version) => sum + version, 0);
  }
  console.info(`${total} acknowledged writes, all found`);
});
