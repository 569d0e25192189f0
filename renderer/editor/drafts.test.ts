// Tests of drafts: storage and limits.
import { beforeEach, expect, test } from 'vitest';
import { installIndexedDb, stored } from '../testing/fake-indexed-db.ts';
import { queryClient } from '../live/query-client.ts';
import { helloQuery } from '../sign-in/use-hello.ts';
import { dropDrafts, keepDraft, readDrafts, type Draft } from './drafts.ts';
import { keepMessageDraft, readMessageDraft } from './message-drafts.ts';

beforeEach(installIndexedDb);

const draft = (text: string, visit = 'one'): Draft => ({ text, baseText: '', savedAt: 0, visit });

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
  expect(await readDrafts(key)).toEqual([]);
  expect(readMessageDraft('uid')).toEqual({ content: '' });
  signIn('ana');
  expect(await readDrafts(key)).toEqual([draft('of ana')]);
  expect(readMessageDraft('uid')).toEqual({ content: 'of ana' });
});

const key = { kind: 'Agent', namespace: 'default', name: 'a' };

test('each visit has a draft, which only it replaces', async () => {
  await keepDraft(key, draft('first', 'one'));
  await keepDraft(key, draft('second', 'two'));
  await keepDraft(key, draft('third', 'one'));
  expect(await readDrafts(key)).toEqual([draft('third', 'one'), draft('second', 'two')]);
  await dropDrafts(key, ['one']);
  expect(await readDrafts(key)).toEqual([draft('second', 'two')]);
  await keepDraft(key, draft('second, continued', 'three'), ['two']);
  expect(await readDrafts(key)).toEqual([draft('second, continued', 'three')]);
});

test('the oldest of six drafts is dropped', async () => {
  for (const visit of ['1', '2', '3', '4', '5', '6']) await keepDraft(key, draft(visit, visit));
  expect((await readDrafts(key)).map(({ text }) => text)).toEqual(['6', '5', '4', '3', '2']);
});

test('drafts of an earlier console are read', async () => {
  await keepDraft(key, draft('of this one'));
  const [id = ''] = stored.keys();
  const old = (text: string, savedAt: number) => ({ text, baseText: '', savedAt });
  stored.set(id, { ...old('newest', 2), earlier: [old('older', 1)] });
  expect(await readDrafts(key)).toEqual([
    { ...old('newest', 2), visit: '' },
    { ...old('older', 1), visit: '1' },
  ]);
  // A draft that all visits share replaces the one of an earlier console.
  await keepDraft(key, draft('shared', ''));
  expect((await readDrafts(key)).map(({ text }) => text)).toEqual(['shared', 'older']);
});
