// Decision records over HTTP: pages, filters, one by its number, and the key.
import { isBroken, CHAIN_START, checkNext, type DecisionDraft } from '@svc/shared/decision-record';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { decisionCrypto, readPublicKey } from '../../decisions/decision-crypto.ts';
import { createDecisionLog } from '../../decisions/decision-log.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

let server: HttpFixture;
const object = (name: string) => ({ namespace: 'default', name, uid: name });
const draft = (n: number): DecisionDraft => ({
  timestamp: '2026-01-02T03:04:05.006Z',
  type: n === 3 ? 'task' : 'tool',
  approval: { kind: n === 3 ? 'TaskApproval' : 'ToolApproval', ...object(`a-${n}`) },
  task: object(n > 2 ? 'late' : 'early'),
  decision: 'approved',
  proposed_input: { n },
});

beforeAll(async () => {
  server = await startHttpFixture({ apiTokens: 'r:reading:reader' });
  const log = createDecisionLog({ store: server.store, secretBox: createSecretBox(), clock: systemClock });
  expect((await get('/v1/decisions/key')).body.error.code).toBe('unavailable');
  await log.prepare();
  for (const n of [1, 2, 3, 4]) await server.store.transaction((tx) => log.record(tx, draft(n)));
});
afterAll(() => server.close());

const get = (path: string, token = 'reading') => server.send('GET', path, { headers: { authorization: `Bearer ${token}` } });

test('a list and the key are all that a check needs', async () => {
  const crypto = decisionCrypto(readPublicKey((await get('/v1/decisions/key')).body.public_key_pem));
  const { items } = (await get('/v1/decisions')).body;
  let head = CHAIN_START;
  for (const item of items) {
    const next = await checkNext(head, item, crypto);
    if (isBroken(next)) throw new Error(next.message);
    head = next;
  }
  expect(head.seq).toBe(4);
  expect((await get('/v1/decisions/4')).body).toEqual(items[3]);
});

test.each<[string, number[], string | undefined]>([
  ['limit=3', [1, 2, 3], '3'],
  ['limit=3&after=3', [4], undefined],
  ['task=late', [3, 4], undefined],
  ['task=default/early', [1, 2], undefined],
  ['approval=a-2', [2], undefined],
  ['approval=a-2&namespace=other', [], undefined],
  ['type=task', [3], undefined],
])('?%s gives the records %j', async (query, seqs, next) => {
  const { body } = await get(`/v1/decisions?${query}`);
  expect({ seqs: body.items.map((item: { seq: number }) => item.seq), next: body.continue }).toEqual({ seqs, next });
});

test.each(['type=x', 'limit=0', 'after=-1', 'after=a'])('?%s is refused', async (query) => {
  expect((await get(`/v1/decisions?${query}`)).status).toBe(400);
});

test.each([
  ['0', 404],
  ['5', 404],
  ['x', 400],
  ['1e1', 400],
  ['99999999999999999999', 400],
])('reading the record %s that does not exist is %i', async (seq, status) => {
  expect((await get(`/v1/decisions/${seq}`)).status).toBe(status);
});

test('decision routes take readers', async () => {
  expect((await get('/v1/decisions', 'wrong')).status).toBe(401);
});
