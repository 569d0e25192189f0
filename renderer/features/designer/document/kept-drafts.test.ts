// Drafted objects of an earlier visit, whose stored objects have changed or are gone.
import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { keepDraft, readDrafts } from '../../../editor/drafts.ts';
import { installIndexedDb } from '../../../testing/fake-indexed-db.ts';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { objectYaml } from '../../../yaml/serialise.ts';
import { NO_DRAFTS, newDraft, type Drafts } from './drafts.ts';
import { useKeptDrafts } from './kept-drafts.ts';

beforeEach(installIndexedDb);

const system = { namespace: 'ops', name: 'desk' };
const key = { kind: 'AgentSystem parts', ...system };
const agent = (prompt: string) => objectYaml(objectOf('Agent', 'planner', { spec: { prompt } }));

/** The agent is read as this answer says. */
async function setup(read: () => unknown) {
  serve({ resources: { get: read } });
  await keepDraft(key, { text: agent('mine'), baseText: agent('before'), savedAt: 1, visit: 'earlier' });
  const onRestored = vi.fn<(drafts: Drafts) => void>();
  const hook = renderHook(({ drafts }: { readonly drafts: Drafts }) => useKeptDrafts(system, drafts, onRestored), {
    initialProps: { drafts: NO_DRAFTS },
  });
  await waitFor(() => expect(hook.result.current.draft.offered).toBeDefined());
  act(() => hook.result.current.restore());
  return { ...hook, onRestored };
}

test('a draft of a deleted object keeps a base, so that the review finds the deletion', async () => {
  const { onRestored } = await setup(() => {
    throw refusal('not_found', 'it is gone');
  });
  await waitFor(() => expect(onRestored).toHaveBeenCalled());
  const [drafts] = onRestored.mock.calls[0] ?? [];
  expect([...(drafts?.values() ?? [])]).toMatchObject([{ text: agent('mine'), base: { spec: { prompt: 'before' } } }]);
});

test('drafts that cannot be restored are offered further, and stay stored beside new ones', async () => {
  const { result, rerender, onRestored } = await setup(() => {
    throw new TypeError('Failed to fetch');
  });
  rerender({ drafts: new Map([['other', newDraft({ kind: 'Agent', namespace: 'ops', name: 'writer' }, {})]]) });
  await waitFor(() => expect(result.current.draft.kept).toBe(true));
  expect(await readDrafts(key)).toMatchObject([{}, { visit: 'earlier' }]);
  expect(result.current.draft.offered).toMatchObject({ visit: 'earlier' });
  expect(onRestored).not.toHaveBeenCalled();
});

test('drafts whose text has no line break at its end are restored one by one', async () => {
  serve({ resources: {} });
  const draft = (name: string) => {
    const made = newDraft({ kind: 'Agent', namespace: 'ops', name }, { prompt: name });
    return { ...made, text: made.text.trimEnd() };
  };
  const drafts = new Map(['planner', 'writer'].map((name) => [`Agent ops/${name}`, draft(name)]));
  const visit = renderHook(() => useKeptDrafts(system, drafts, vi.fn()));
  await waitFor(() => expect(visit.result.current.draft.kept).toBe(true), { timeout: 5000 });
  visit.unmount();
  const onRestored = vi.fn<(drafts: Drafts) => void>();
  const { result } = renderHook(() => useKeptDrafts(system, NO_DRAFTS, onRestored));
  await waitFor(() => expect(result.current.draft.offered).toBeDefined());
  act(() => result.current.restore());
  await waitFor(() => expect(onRestored).toHaveBeenCalled());
  expect([...(onRestored.mock.calls[0]?.[0].values() ?? [])].map(({ name }) => name)).toEqual(['planner', 'writer']);
});

test('a draft whose YAML cannot be read is restored as it was written', async () => {
  const { text } = newDraft({ kind: 'Agent', namespace: 'ops', name: 'planner' }, { prompt: 'mine' });
  const unreadable = `${text}  tools: [`;
  await keepDraft(key, { text: unreadable, baseText: '', savedAt: 1, visit: 'earlier' });
  const onRestored = vi.fn<(drafts: Drafts) => void>();
  const { result } = renderHook(() => useKeptDrafts(system, NO_DRAFTS, onRestored));
  await waitFor(() => expect(result.current.draft.offered).toBeDefined());
  act(() => result.current.restore());
  await waitFor(() => expect(onRestored).toHaveBeenCalled());
  expect([...(onRestored.mock.calls[0]?.[0].values() ?? [])]).toMatchObject([{ kind: 'Agent', name: 'planner', text: unreadable }]);
});
