// Drafts beside a system.
import { expect, test } from 'vitest';
import { objectOf } from '../../../testing/fake-objects.ts';
import { draftOf, editedSince, withBases, type DraftObject } from './drafts.ts';

const stored = (prompt: string) => objectOf('Agent', 'planner', { spec: { prompt } });
const draft = (text: string, name = 'planner'): DraftObject => ({ ...draftOf(stored('before')), name, text });
const all = (...drafts: readonly DraftObject[]) => new Map(drafts.map((each) => [`Agent ops/${each.name}`, each]));

test('edits since an apply stay, on the object that the apply stored', () => {
  const sent = [draft('sent'), draft('sent', 'writer')];
  const now = all(draft('typed on'), draft('sent', 'writer'), draft('new', 'critic'));
  const after = sent.map((each) => ({ ...each, base: stored('sent') }));
  const left = withBases(editedSince(now, sent), after);
  expect([...left.values()].map(({ name, text, base }) => [name, text, base?.spec])).toEqual([
    ['planner', 'typed on', { prompt: 'sent' }],
    ['critic', 'new', { prompt: 'before' }],
  ]);
});
