// Decision records over real stores: signed, in an unbroken chain also when many are written at once, and no change of one goes unseen.
import { isBroken, CHAIN_START, checkNext, type DecisionDraft, type SignedDecision } from '@svc/shared/decision-record';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Store } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { storeEngines } from '../testing/background.ts';
import { decisionCrypto, readPublicKey } from './decision-crypto.ts';
import { createDecisionLog } from './decision-log.ts';
import type { DecisionLog } from './record-decision.ts';

const object = (name: string) => ({ namespace: 'default', name, uid: `uid-${name}` });
const draft = (name: string, more: Partial<DecisionDraft> = {}): DecisionDraft => ({
  timestamp: '2026-01-02T03:04:05.006Z',
  type: 'tool',
  approval: { kind: 'ToolApproval', ...object(name) },
  task: object('task'),
  decision: 'approved',
  proposed_input: { to: 'é\u2028"x', sum: 1e21, nested: [null, -0.5] },
  call_hash: `sha256:${name}`,
  decider: { name: 'ann', method: 'bearer' },
  ...more,
});

async function check(log: DecisionLog, records: readonly unknown[]) {
  const crypto = decisionCrypto(readPublicKey((await log.publicKey()).public_key_pem));
  let head = CHAIN_START;
  for (const record of records) {
    const next = await checkNext(head, record, crypto);
    if (isBroken(next)) return next;
    head = next;
  }
  return head;
}

async function all(log: DecisionLog): Promise<SignedDecision[]> {
  const items: SignedDecision[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await log.list({ after, limit: 7 });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  let store: Store;
  let log: DecisionLog;
  const secretBox = createSecretBox('ab'.repeat(32));
  const write = (draft: DecisionDraft, to = log) => transactAgain(store, (tx) => to.record(tx, draft));

  beforeEach(async () => {
    store = await open(systemClock);
    log = createDecisionLog({ store, secretBox, clock: systemClock });
    expect(await log.prepare()).toBeUndefined();
  });
  afterEach(() => store.close());

  test('records are numbered from 1, chained and signed, and stored unchanged', async () => {
    expect(await write(draft('a'))).toEqual({ seq: 1 });
    expect(await write(draft('b', { decision: 'denied', comment: 'no' }))).toEqual({ seq: 2 });
    const [first, second] = await all(log);
    expect(first).toMatchObject({ ...draft('a'), version: 1, seq: 1, previous_hash: `sha256:${'0'.repeat(64)}` });
    expect(second?.previous_hash).toBe(first?.hash);
    expect(await check(log, [first, second])).toEqual({ seq: 2, hash: second?.hash });
    expect(await log.read(2)).toEqual(second);
    expect(await log.read(3)).toBeUndefined();
  });

  test('a record that is written while the end of the chain is read is no fault', async () => {
    await write(draft('a'));
    const read = store.getDocument.bind(store);
    let isWritten = false;
    vi.spyOn(store, 'getDocument').mockImplementation(async (collection, id) => {
      const document = await read(collection, id);
      if (collection === 'decision.chain' && !isWritten) {
        isWritten = true;
        await write(draft('b'));
      }
      return document;
    });
    expect(await log.head()).toEqual({ seq: 2, hash: (await log.read(2))?.hash, authenticated: true });
  });

  test('many at once, by several processes, get each their own number; those rolled back leave no gap', async () => {
    const logs = [log, createDecisionLog({ store, secretBox, clock: systemClock })];
    const writes = Array.from({ length: 40 }, async (_, n) =>
      transactAgain(store, async (tx) => {
        const written = await logs[n % 2]?.record(tx, draft(`a-${n}`));
        if (n % 5 === 0) throw new Error('rolled back');
        return written?.seq;
      }).catch(() => undefined),
    );
    const seqs = (await Promise.all(writes)).filter((seq) => seq !== undefined);
    expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, n) => n + 1));
    expect(await check(log, await all(log))).toMatchObject({ seq: 32 });
  });

  test('servers that start at once agree on one key', async () => {
    const fresh = await open(systemClock);
    const logs = Array.from({ length: 4 }, () => createDecisionLog({ store: fresh, secretBox, clock: systemClock }));
    expect(await Promise.all(logs.map((each) => each.prepare()))).toEqual([undefined, undefined, undefined, undefined]);
    expect(new Set(await Promise.all(logs.map(async (each) => (await each.publicKey()).key_id))).size).toBe(1);
    await fresh.close();
  });

  test('callHashOf answers for an approved call only, and never for a record that was changed', async () => {
    await write(draft('a'));
    await write(draft('b', { decision: 'denied' }));
    expect(await log.callHashOf(1)).toBe('sha256:a');
    expect(await log.callHashOf(2)).toBeUndefined();
    expect(await log.callHashOf(3)).toBeUndefined();
    const [first] = await all(log);
    for (const change of [
      { call_hash: 'sha256:other' },
      { seq: 9 },
      { signature: first?.signature.replace(/^./, '!') },
      { hash: 'sha256:0' },
    ]) {
      await store.transaction((tx) => tx.putDocument('decision.records', '0000000000000001', { ...first, ...change }));
      expect(await log.callHashOf(1)).toBeUndefined();
    }
  });

  test('are found by approval, by task and by type, in pages', async () => {
    for (let n = 0; n < 9; n += 1)
      await write(draft(`a-${n % 3}`, { task: object(n % 2 ? 'odd' : 'even'), type: n === 8 ? 'unknown_outcome' : 'tool' }));
    const seqs = async (query: Partial<Parameters<DecisionLog['list']>[0]>) => {
      const { items, next } = await log.list({ after: 0, limit: 100, ...query });
      return { seqs: items.map(({ seq }) => seq), next };
    };
    expect(await seqs({ approval: 'default/a-1' })).toEqual({ seqs: [2, 5, 8], next: undefined });
    expect(await seqs({ task: 'default/odd' })).toEqual({ seqs: [2, 4, 6, 8], next: undefined });
    expect(await seqs({ task: 'default/odd', approval: 'default/a-1' })).toEqual({ seqs: [2, 8], next: undefined });
    expect(await seqs({ task: 'default/od' })).toEqual({ seqs: [], next: undefined });
    expect(await seqs({ type: 'unknown_outcome' })).toEqual({ seqs: [9], next: undefined });
    expect(await seqs({ limit: 4 })).toEqual({ seqs: [1, 2, 3, 4], next: 4 });
    expect(await seqs({ limit: 4, after: 4 })).toEqual({ seqs: [5, 6, 7, 8], next: 8 });
    expect(await seqs({ limit: 1, after: 8 })).toEqual({ seqs: [9], next: undefined });
    expect(await seqs({ task: 'default/odd', limit: 3, after: 2 })).toEqual({ seqs: [4, 6, 8], next: undefined });
  });

  test('a page ends before it grows past a few megabytes, and has one record at least', async () => {
    const large = { text: 'x'.repeat(3 * 1024 * 1024) };
    for (const name of ['a', 'b', 'c']) await write(draft(name, { proposed_input: large }));
    expect(await log.list({ after: 0, limit: 100 })).toMatchObject({ items: [{ seq: 1 }], next: 1 });
    expect((await all(log)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('a process that cannot open the key writes nothing, trusts no record and reports the reason', async () => {
    await write(draft('a'));
    const other = createDecisionLog({ store, secretBox: createSecretBox('cd'.repeat(32)), clock: systemClock });
    expect(await other.prepare()).toMatch(/--secret-encryption-key does not open decision key sha256:[0-9a-f]{16}/);
    await expect(write(draft('b'), other)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(other.callHashOf(1)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await other.publicKey()).key_id).toBe((await log.publicKey()).key_id);
    expect(await log.list({ after: 1, limit: 1 })).toEqual({ items: [] });
    expect(JSON.stringify(await store.getDocument('decision.key', 'key'))).toMatch(/"private_key":"aes256gcm:/);
  });
});

test('a store without a key refuses decisions', async () => {
  const store = await storeEngines[0]!.open(systemClock);
  const log = createDecisionLog({ store, secretBox: createSecretBox(), clock: systemClock });
  await expect(store.transaction((tx) => log.record(tx, draft('a')))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(log.publicKey()).rejects.toMatchObject({ code: 'unavailable' });
  await store.close();
});

describe('a chain', () => {
  let log: DecisionLog;
  let store: Store;
  let records: SignedDecision[];
  beforeEach(async () => {
    store = await storeEngines[0]!.open(systemClock);
    log = createDecisionLog({ store, secretBox: createSecretBox(), clock: systemClock });
    await log.prepare();
    for (const name of ['a', 'b', 'c', 'd']) await store.transaction((tx) => log.record(tx, draft(name)));
    records = await all(log);
  });
  afterEach(() => store.close());

  test('shows any change of any byte of any record, and which record it is', async () => {
    const texts = records.map((record) => JSON.stringify(record));
    const change = fc.record({ at: fc.nat(3), byte: fc.nat(), to: fc.integer({ min: 32, max: 126 }) });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, byte, to }) => {
        const text = texts[at] ?? '';
        const place = byte % text.length;
        const changed = parsed(text.slice(0, place) + String.fromCharCode(to) + text.slice(place + 1));
        if (changed === undefined || JSON.stringify(changed) === text) return;
        const found = await check(
          log,
          texts.map((each, n) => (n === at ? changed : (JSON.parse(each) as unknown))),
        );
        expect(found).toMatchObject({ seq: at + 1, fault: expect.any(String) as string });
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[string, (r: SignedDecision[]) => unknown[], object]>([
    ['left out', (r) => [r[0], r[2], r[3]], { seq: 2, fault: 'gap', message: 'record 2 is missing: record 3 follows instead' }],
    ['left out at the start', (r) => r.slice(1), { seq: 1, fault: 'gap' }],
    ['swapped', (r) => [r[1], r[0]], { seq: 1, fault: 'gap' }],
    ['repeated', (r) => [r[0], r[0]], { seq: 2, fault: 'gap' }],
    ['no record', () => ['x'], { seq: 1, fault: 'malformed' }],
    ['with a member more', (r) => [{ ...r[0], extra: 1 }], { seq: 1, fault: 'hash' }],
  ])('with a record %s is broken there', async (_, tamper, found) => {
    expect(await check(log, tamper(records))).toMatchObject(found);
  });

  test('a chain that another key signed again fails verification', async () => {
    const other = await storeEngines[0]!.open(systemClock);
    const forged = createDecisionLog({ store: other, secretBox: createSecretBox(), clock: systemClock });
    await forged.prepare();
    await other.transaction((tx) => forged.record(tx, draft('a')));
    expect(await check(log, await all(forged))).toMatchObject({ seq: 1, fault: 'unknown_key' });
    const [record] = await all(forged);
    await other.close();
    expect(await check(log, [records[0], record])).toMatchObject({ seq: 2, fault: 'gap' });
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
