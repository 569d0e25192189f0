import { expect, test } from 'vitest';
import { clashOf } from './shortcut-clash.ts';

const shortcut = (id: string, keys: string) => ({ id, keys, label: id, group: 'Everywhere', run: () => undefined });
const shortcuts = [shortcut('search', 'mod+k'), shortcut('go', 'g d')];

test.each([
  ['mod+k', 'new', {}, 'search'],
  ['mod+k', 'search', {}, undefined],
  ['mod+k', 'new', { search: 'mod+j' }, undefined],
  ['g', 'new', {}, 'go'],
  ['', 'new', {}, undefined],
])('%j for %s, when others have %j: taken by %s', (keys, id, own, other) => expect(clashOf(keys, id, { shortcuts, own })).toBe(other));
