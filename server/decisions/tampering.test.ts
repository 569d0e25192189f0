// An attacker with write access to the database: each way to forge or remove decision records is detected, on each engine.
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { decisionText, FIRST_PREVIOUS_HASH, type DecisionDraft, type SignedDecision } from '@svc/shared/decision-record';
import type { JsonObject } from '@svc/shared/json';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createKeyCheck } from '../secrets/key-check.ts';
import { rotateKeys } from '../secrets/rotate-keys.ts';
import { createSecretBox, type SecretBox } from '../secrets/secret-box.ts';
import { storedSecrets } from '../secrets/stored-secrets.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { storeEngines } from '../testing/background.ts';
import { hashText, keyIdOf } from './decision-crypto.ts';
import { storedDecisionKey } from './decision-key.ts';
import { createDecisionLog } from './decision-log.ts';
import type { DecisionLog } from './record-decision.ts';

const box = createSecretBox('ab'.repeat(32));
const fresh = createSecretBox('cd'.repeat(32), 'ab'.repeat(32));
const seqId = (seq: number) => String(seq).padStart(16, '0');
const ALL = ['decision.records', 'decision.chain', 'decision.key', 'decision.by-approval', 'decision.by-task'];

const draft = (n: number): DecisionDraft => ({
  timestamp: '2026-01-02T03:04:05.006Z',
  type: 'tool',
  approval: { kind: 'ToolApproval', namespace: 'default', name: `a-${n}`, uid: `u-${n}` },
  task: { namespace: 'default', name: 'task', uid: 't' },
  decision: 'approved',
  call_hash: `sha256:${n}`,
});

type Tamper = (tx: StoreTransaction, records: readonly SignedDecision[]) => Promise<unknown>;

async function removeAll(tx: StoreTransaction, collections: readonly string[]): Promise<void> {
  for (const collection of collections)
    for (const { id } of await tx.listDocuments(collection, '', 100)) await tx.deleteDocument(collection, id);
}

/** Signs a chain of these decisions with a key pair of the forger, and puts it in the place of the records. */
async function forgeChain(
  tx: StoreTransaction,
  ...[records, sealed]: [readonly SignedDecision[], ((der: string) => string)?]
): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key_id = keyIdOf(publicKey);
  let previous_hash = FIRST_PREVIOUS_HASH;
  for (const { hash: _hash, signature: _signature, ...record } of records) {
    const content = { ...record, ...(record.seq === 3 && { call_hash: 'sha256:forged' }), previous_hash, key_id };
    const text = decisionText(content as unknown as JsonObject);
    previous_hash = hashText(text);
    const signature = sign(null, Buffer.from(text), privateKey).toString('base64');
    await tx.putDocument('decision.records', seqId(record.seq), { ...content, hash: previous_hash, signature });
  }
  const der = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  const public_key_pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const private_key = sealed ? sealed(der) : der;
  await tx.putDocument('decision.key', 'key', { key_id, public_key_pem, private_key, created_at: records[0]!.timestamp });
  await tx.putDocument('decision.chain', 'head', { seq: records.length, hash: previous_hash });
}

const cutTail = async (tx: StoreTransaction) => {
  for (const seq of [4, 5]) await tx.deleteDocument('decision.records', seqId(seq));
};

/** Each way that leaves no record broken by itself, with the words of the fault. */
const TAMPERING: readonly [string, Tamper, RegExp][] = [
  ['newest records removed', cutTail, /record 5, noted as the newest, is missing/],
  [
    'newest records removed with their note rewritten',
    async (tx, records) => {
      await cutTail(tx);
      await tx.putDocument('decision.chain', 'head', { seq: 3, hash: records[2]!.hash });
    },
    /note of the newest decision record was not written by a server with this/,
  ],
  [
    'note with the code of another text',
    async (tx, records) => {
      const head = await tx.getDocument('decision.chain', 'head');
      await cutTail(tx);
      await tx.putDocument('decision.chain', 'head', { ...head, seq: 3, hash: records[2]!.hash });
    },
    /note of the newest/,
  ],
  ['all records removed', (tx) => removeAll(tx, ['decision.records']), /record 5, noted as the newest, is missing/],
  [
    'all records and their note removed',
    (tx) => removeAll(tx, ['decision.records', 'decision.chain']),
    /note of the newest decision record is missing/,
  ],
  ['everything removed, the key too', (tx) => removeAll(tx, ALL), /decision key sha256:\w+ is missing/],
  [
    'everything removed, the note of the key too',
    (tx) => removeAll(tx, [...ALL, 'secret-encryption']),
    /decision key and its note is missing/,
  ],
  ['foreign key pair in plaintext with a chain signed by it', (tx, records) => forgeChain(tx, records), /replaces decision key/],
  [
    'foreign key pair in plaintext under the id of the true one',
    async (tx, records) => {
      const { key_id } = (await tx.getDocument('decision.key', 'key'))!;
      await forgeChain(tx, records);
      await tx.putDocument('decision.key', 'key', { ...(await tx.getDocument('decision.key', 'key')), key_id });
    },
    /is stored unencrypted although this server has an encryption key/,
  ],
  [
    'foreign public key beside the true private one',
    async (tx) => {
      const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
      await tx.putDocument('decision.key', 'key', { ...(await tx.getDocument('decision.key', 'key')), public_key_pem: pem });
    },
    /public key that is stored as sha256:\w+ does not belong to the decision key/,
  ],
  [
    'record added behind the newest',
    (tx, records) => tx.putDocument('decision.records', seqId(6), { ...records[4], seq: 6 }),
    /record 6 follows record 5/,
  ],
];

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  let store: Store;
  let records: SignedDecision[];
  const logOf = (secretBox: SecretBox = box, faults: string[] = []): DecisionLog =>
    createDecisionLog({ store, secretBox, clock: systemClock, reportFault: (fault) => faults.push(fault) });
  const settle = (secretBox: SecretBox = box) =>
    createKeyCheck({ store, box: secretBox, parts: [storedSecrets(secretBox), storedDecisionKey(secretBox)] }).settle();
  const rotate = (adopt: boolean, secretBox: SecretBox = box) =>
    rotateKeys({ store, box: secretBox, others: [storedDecisionKey(secretBox)] }, { adopt, onProgress: () => undefined });

  async function decideFive(log: DecisionLog): Promise<void> {
    expect(await log.prepare()).toBeUndefined();
    for (const n of [1, 2, 3, 4, 5]) await store.transaction((tx) => log.record(tx, draft(n)));
    records = [...(await log.list({ after: 0, limit: 100 })).items];
  }

  beforeEach(async () => {
    store = await open(systemClock);
  });
  afterEach(() => store.close());

  describe('with an encryption key', () => {
    beforeEach(async () => {
      await settle();
      // A Secret keeps the store known as one that is encrypted.
      const spec = { data: { value: box.seal({ namespace: 'default', name: 's', key: 'value' }, 'eA==') } };
      const at = '2026-01-02T03:04:05.000Z';
      const meta = { uid: 's', resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: at, updatedAt: at, status: {} };
      await store.transaction((tx) => tx.insertObject({ kind: 'Secret', namespace: 'default', name: 's', ...meta, spec }));
      await decideFive(logOf());
    });

    test('whole records have a proven end and no fault', async () => {
      expect(await logOf().head()).toEqual({ seq: 5, hash: records[4]!.hash, authenticated: true });
      expect([await logOf().fault(), await logOf().prepare(), await logOf().callHashOf(3)]).toEqual([undefined, undefined, 'sha256:3']);
    });

    test.each(TAMPERING)('%s: next start reports it and refuses decisions', async (_how, tamper, words) => {
      await store.transaction((tx) => tamper(tx, records));
      expect(await settle()).toEqual({ kind: 'usable' });
      const log = logOf();
      expect(await log.prepare()).toMatch(words);
      expect((await log.head().catch((error: Error) => ({ fault: error.message }))).fault).toBeDefined();
      await expect(store.transaction((tx) => log.record(tx, draft(6)))).rejects.toMatchObject({ code: 'unavailable' });
    });

    test('forged chains let no call run, and log and readiness report them', async () => {
      await store.transaction((tx) => forgeChain(tx, records));
      const faults: string[] = [];
      expect(await logOf(box, faults).callHashOf(3)).toBeUndefined();
      expect(faults).toEqual([expect.stringContaining('replaces decision key')]);
      expect(await logOf().fault()).toContain('decision records cannot be trusted');
    });

    test('removed records are reported when a call refers to them', async () => {
      await store.transaction(cutTail);
      const faults: string[] = [];
      expect(await logOf(box, faults).callHashOf(5)).toBeUndefined();
      expect(faults).toEqual(['decision record 5 is not there; the newest is 5']);
    });

    test('processes that started before the tampering record no further decision', async () => {
      const running = logOf();
      expect(await running.prepare()).toBeUndefined();
      await store.transaction((tx) => forgeChain(tx, records));
      await expect(store.transaction((tx) => running.record(tx, draft(6)))).rejects.toMatchObject({ code: 'unavailable' });
      expect(await running.callHashOf(3)).toBeUndefined();
    });

    test('rotation refuses tampered records, unless the operator adopts them', async () => {
      await store.transaction(async (tx) => {
        await cutTail(tx);
        await tx.putDocument('decision.chain', 'head', { seq: 3, hash: records[2]!.hash });
      });
      await expect(rotate(false, fresh)).rejects.toMatchObject({ code: 'unavailable' });
      expect(await logOf(fresh).prepare()).toMatch(/note of the newest/);
      await rotate(true, fresh);
      expect(await logOf(fresh).prepare()).toBeUndefined();
      expect(await logOf(fresh).head()).toEqual({ seq: 3, hash: records[2]!.hash, authenticated: true });
    });

    test('rotation keeps the key pair and proves the newest record with the new key', async () => {
      const running = logOf(fresh);
      expect(await running.prepare()).toBeUndefined();
      const before = await running.publicKey();
      const early = logOf(box);
      expect(await early.prepare()).toBeUndefined();
      await rotate(false, fresh);
      const newest = createSecretBox('cd'.repeat(32));
      const log = logOf(newest);
      expect([await settle(newest), await log.prepare(), await log.publicKey()]).toEqual([{ kind: 'usable' }, undefined, before]);
      for (const each of [running, log]) await store.transaction((tx) => each.record(tx, draft(6)));
      expect(await log.head()).toMatchObject({ seq: 7, authenticated: true });
      for (const behind of [early, logOf(box)]) {
        await expect(store.transaction((tx) => behind.record(tx, draft(8)))).rejects.toMatchObject({ code: 'unavailable' });
        await expect(behind.callHashOf(1)).rejects.toMatchObject({ code: 'unavailable' });
        expect(await behind.fault()).toBeUndefined();
      }
    });
  });

  describe('without an encryption key', () => {
    beforeEach(() => decideFive(logOf(createSecretBox())));

    test('removed newest records are found while their note is left', async () => {
      await store.transaction(cutTail);
      expect(await logOf(createSecretBox()).head()).toMatchObject({ authenticated: false, fault: expect.stringContaining('is missing') });
    });

    test('keys set after decisions need --adopt-unsealed', async () => {
      expect(await settle()).toEqual({ kind: 'unsealed' });
      await expect(rotate(false)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('--adopt-unsealed') });
      await rotate(true);
      expect([await settle(), await logOf().prepare()]).toEqual([{ kind: 'usable' }, undefined]);
      expect(await logOf().head()).toEqual({ seq: 5, hash: records[4]!.hash, authenticated: true });
      const { private_key } = (await store.getDocument('decision.key', 'key')) as { private_key: string };
      expect(() => createPrivateKey({ key: Buffer.from(private_key, 'base64'), format: 'der', type: 'pkcs8' })).toThrow();
    });
  });

  test('keys set before the first decision seal the decision key', async () => {
    expect(await logOf(createSecretBox()).prepare()).toBeUndefined();
    expect([await settle(), await logOf().prepare()]).toEqual([{ kind: 'usable' }, undefined]);
    expect(await logOf().head()).toMatchObject({ seq: 0, authenticated: true });
    expect(JSON.stringify(await store.getDocument('decision.key', 'key'))).toMatch(/"private_key":"aes256gcm:/);
  });
});
