// Tests of drafts: storage and limits.
import { beforeEach, expect, test } from 'vitest';
import { installIndexedDb, stored } from '../testing/fake-indexed-db.ts';
import { queryClient } from '../live/query-client.ts';
import { helloQuery } from '../sign-in/use-hello.ts';
import { before, keepDraft, readDraft, withoutNewest, type Draft } from './drafts.ts';
import { keepMessageDraft, readMessageDraft } from './message-drafts.ts';

beforeEach(installIndexedDb);

const draft = (text: string): Draft => ({ text, baseText: '', savedAt: 0 });

test.each([
  ['of another kind', 'Agent', 'kind: Agent\nmetadata:\n  name: kind-secret\n', true],
  ['of a Secret', 'Secret', 'kind: Secret\n', false],
  ['of a Secret in the place of another kind', 'Agent', 'kind: Agent\n---\nkind: "Secret"\nspec: {}\n', false],
  ['with values of one, in JSON', 'Tool', '{\n  "stringData": { "value": "hunter2" }\n}', false],
])('a draft %s', async (_, kind, text, expected) => {
  expect(await keepDraft({ kind, namespace: 'default' }, draft(text))).toBe(expected);
  expect(stored.size).toBe(expected ? 1 : 0);
});

test('a draft belongs to the person who wrote it', async () => {
  const signIn = (name: string) => queryClient.setQueryData(helloQuery.queryKey, { identity: { name } } as never);
  const key = { kind: 'Agent', namespace: 'default' };
  signIn('ana');
  await keepDraft(key, draft('of ana'));
  keepMessageDraft('uid', { content: 'of ana' });
  signIn('bea');
  expect(await readDraft(key)).toBeUndefined();
  expect(readMessageDraft('uid')).toEqual({ content: '' });
  signIn('ana');
  expect(await readDraft(key)).toEqual(draft('of ana'));
  expect(readMessageDraft('uid')).toEqual({ content: 'of ana' });
});

test('pending drafts are removed with a newer one', () => {
  const [first, second, third] = [draft('first'), before(draft('second'), draft('first')), before(draft('third'), undefined)];
  const all = before(third, second);
  expect(all).toEqual({ ...draft('third'), earlier: [draft('second'), draft('first')] });
  expect(withoutNewest(all)).toEqual(second);
  expect(withoutNewest(second)).toEqual(first);
  expect(withoutNewest(first)).toBeUndefined();
});
