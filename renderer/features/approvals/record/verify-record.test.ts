// @vitest-environment node
import { decisionText, FIRST_PREVIOUS_HASH, type DecisionPublicKey, type SignedDecision } from '@svc/shared/decision-record';
import type { JsonObject } from '@svc/shared/json';
import { beforeAll, describe, expect, test } from 'vitest';
import { decisionCrypto, importKey, sha256, type RecordKey } from './record-crypto.ts';
import { toolApproval } from '../../../testing/approvals.ts';
import { verifyRecord } from './verify-record.ts';

let pair: CryptoKeyPair;
let published: DecisionPublicKey;
let key: RecordKey;

const base64 = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64');

async function signed(seq: number, previous_hash: string, more: Partial<SignedDecision> = {}): Promise<SignedDecision> {
  const draft = {
    version: 1,
    seq,
    previous_hash,
    key_id: published.key_id,
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'tool',
    approval: { kind: 'ToolApproval', namespace: 'ops', name: 'a', uid: 'uid-a' },
    task: { namespace: 'ops', name: 'job', uid: 't' },
    tool: 'ops/pay',
    proposed_input: { sum: 3 },
    decision: 'approved',
    decider: { name: 'ana', method: 'bearer' },
    ...more,
  } as const;
  const text = decisionText(draft as unknown as JsonObject);
  const signature = base64(await crypto.subtle.sign({ name: 'Ed25519' }, pair.privateKey, Buffer.from(text)));
  return { ...draft, hash: await sha256(text), signature };
}

beforeAll(async () => {
  pair = await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify']);
  const der = await crypto.subtle.exportKey('spki', pair.publicKey);
  const id = Buffer.from(await crypto.subtle.digest('SHA-256', der))
    .toString('hex')
    .slice(0, 16);
  const public_key_pem = `-----BEGIN PUBLIC KEY-----\n${base64(der)}\n-----END PUBLIC KEY-----\n`;
  published = { key_id: `sha256:${id}`, algorithm: 'Ed25519', public_key_pem, created_at: '' };
  key = { keyId: published.key_id, key: await importKey(published) };
});

const approval = toolApproval({ status: { phase: 'Approved', decided_by: 'ana' } });
const check = (record: SignedDecision, neighbours = {}, of = approval) =>
  verifyRecord(record, {
    crypto: decisionCrypto(key),
    signaturesChecked: key.key !== undefined,
    neighbours: { before: undefined, after: undefined, ...neighbours },
    approval: of,
  });

describe('a record', () => {
  test('is accepted when it is whole, in its place, and about this approval', async () => {
    const first = await signed(1, FIRST_PREVIOUS_HASH);
    const second = await signed(2, first.hash);
    expect(await check(first, { after: second })).toEqual({ state: 'whole', faults: [], keyId: published.key_id, chainedTo: [2] });
    expect(await check(second, { before: first })).toMatchObject({ state: 'whole', chainedTo: [1] });
  });

  test('is rejected when its content was changed', async () => {
    const record = await signed(1, FIRST_PREVIOUS_HASH);
    expect(await check({ ...record, comment: 'fine' })).toMatchObject({
      state: 'broken',
      faults: [expect.stringMatching(/was changed/), expect.anything()],
    });
  });

  test('is rejected when its hash was recomputed without a signature', async () => {
    const record = { ...(await signed(1, FIRST_PREVIOUS_HASH)), timestamp: '2026-02-02T00:00:00.000Z' };
    const forged = { ...record, hash: await sha256(decisionText(record as unknown as JsonObject)) };
    expect((await check(forged)).faults).toEqual([expect.stringMatching(/was not signed by key/)]);
  });

  test('is rejected when another key signed it', async () => {
    const record = await signed(1, FIRST_PREVIOUS_HASH, { key_id: 'sha256:0000000000000000' });
    expect((await check(record)).faults[0]).toMatch(/signed with key sha256:0000/);
  });

  test('is rejected when it does not follow its predecessor, or when a neighbour is missing', async () => {
    const [first, other] = [await signed(1, FIRST_PREVIOUS_HASH), await signed(1, FIRST_PREVIOUS_HASH, { comment: 'other' })];
    const second = await signed(2, first.hash);
    expect((await check(second, { before: other })).faults).toEqual(['record 2 does not follow record 1']);
    expect((await check(second)).faults).toEqual(['record 1, which it follows, is missing']);
    const third = await signed(3, second.hash);
    expect(await check(first, { after: third })).toMatchObject({ faults: ['record 2, which follows it, is missing'], chainedTo: [] });
  });

  test('is rejected when it contradicts the object', async () => {
    const record = await signed(1, FIRST_PREVIOUS_HASH);
    const edited = toolApproval({ status: { phase: 'Denied', decided_by: 'mallory' } });
    expect((await check(record, {}, edited)).faults).toEqual([
      'the object has decision denied, the signed record approved',
      'the object has decider mallory, the signed record ana',
    ]);
  });

  test('is rejected when it allowed another call than the object shows', async () => {
    const record = await signed(1, FIRST_PREVIOUS_HASH, { edited_input: { sum: 2 } });
    const honest = toolApproval({ status: { phase: 'Approved', decided_by: 'ana', edited_input: '{ "sum": 2 }' } });
    expect((await check(record, {}, honest)).state).toBe('whole');
    const spec = { input: '{"sum":1}', tool: 'ask' };
    const changed = toolApproval({ spec, status: { phase: 'Approved', decided_by: 'ana', edited_input: '{"sum":200}' } });
    expect((await check(record, {}, changed)).faults).toEqual([
      'the object has tool ask, the signed record pay',
      'the object has edited input {"sum":200}, the signed record {"sum":2}',
      'the object has input {"sum":1}, the signed record {"sum":3}',
    ]);
  });
});

test('a published key with a wrong id is refused', async () => {
  await expect(importKey({ ...published, key_id: 'sha256:1111111111111111' })).rejects.toThrow(/published as/);
});

test('a browser without Ed25519 still checks the hash', async () => {
  const record = await signed(1, FIRST_PREVIOUS_HASH);
  const crypto = decisionCrypto({ keyId: published.key_id, key: undefined });
  const options = { crypto, signaturesChecked: false, neighbours: { before: undefined, after: undefined } };
  expect((await verifyRecord(record, options)).state).toBe('hash-only');
  expect((await verifyRecord({ ...record, comment: 'x' }, options)).state).toBe('broken');
});
