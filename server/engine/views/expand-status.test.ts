// Status of a Task with the records of its journal, within bounds.
import { expect, test } from 'vitest';
import type { Resource } from '@svc/shared/resource';
import type { JournalEntry, Store } from '../../store/store.ts';
import { agentSnapshot, runSnapshot, simulate } from '../../testing/simulate-run.ts';
import { toJournal } from '../core/entries.ts';
import { RECORD_BYTES_MAX } from '../core/limits.ts';
import { expandTaskStatus } from './expand-status.ts';

interface Expanded {
  readonly messages: readonly { readonly message_id: string }[];
  readonly message_idempotency: readonly unknown[];
  readonly truncated: Readonly<Record<string, unknown>>;
}

test('a long run is read in portions between other work, and its messages are cut by size', async () => {
  const turns = 300;
  const nodes = { a: { routes: [{ to: 'a', labels: {}, condition: { kind: 'success' as const } }] } };
  const snapshot = runSnapshot({ agents: [agentSnapshot('a')], nodes, entrypoints: ['a'], task: { maxTurns: turns } });
  const { journal } = simulate(snapshot, { world: { model: () => ({ content: 'x'.repeat(60_000) }) } });
  const readJournal = (_: string, after: number, limit: number): Promise<JournalEntry[]> =>
    Promise.resolve(journal.slice(after, after + limit).map((entry, index) => ({ seq: after + index + 1, ...toJournal(entry) })));
  let others = 0;
  const work = setInterval(() => (others += 1), 0);
  const task = { metadata: { uid: 'run' }, status: {} } as unknown as Resource;
  const status = (await expandTaskStatus({ readJournal } as unknown as Store, task)) as unknown as Expanded;
  clearInterval(work);
  expect(others).toBeGreaterThan(2);
  const { messages, message_idempotency: keys, truncated } = status;
  expect(JSON.stringify(messages).length).toBeLessThan(RECORD_BYTES_MAX + 100_000);
  expect(messages.length).toBeGreaterThan(100);
  expect(keys).toHaveLength(messages.length);
  const cut = { total: turns, returned: messages.length, continue: messages.at(-1)?.message_id };
  expect(truncated).toMatchObject({ messages: cut, message_idempotency: cut });
});
