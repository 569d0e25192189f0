import { describe, expect, test } from 'vitest';
import { chordOf, isTyping, matchKeys, normalKeys } from './key-match.ts';

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe('a press', () => {
  test.each([
    [press('k', { metaKey: true }), 'mod+k'],
    [press('K', { ctrlKey: true, shiftKey: true }), 'mod+shift+k'],
    [press('?', { shiftKey: true }), '?'],
    [press('X', { shiftKey: true }), 'shift+x'],
    [press('ArrowDown', { shiftKey: true }), 'shift+arrowdown'],
    [press(' '), 'space'],
  ])('%j is %s', (each, chord) => expect(chordOf(each)).toBe(chord));
});

test.each([
  ['Shift+Mod+K', 'mod+shift+k'],
  ['cmd+enter', 'mod+enter'],
  [' G  D ', 'g d'],
])('typed %j reads as %j', (typed, keys) => expect(normalKeys(typed)).toBe(keys));

describe('keys', () => {
  const items = [
    { id: 'dashboard', keys: 'g d' },
    { id: 'tasks', keys: 'g t' },
    { id: 'approve', keys: 'a' },
    { id: 'approve on top', keys: 'a' },
  ];
  test('within a sequence wait for the rest', () => {
    expect(matchKeys(items, '', 'g')).toEqual({ hit: undefined, pending: 'g' });
    expect(matchKeys(items, 'g', 'd').hit?.id).toBe('dashboard');
  });
  test('outside a started sequence count on their own', () => {
    expect(matchKeys(items, 'g', 'a').hit?.id).toBe('approve on top');
    expect(matchKeys(items, 'g', 'z')).toEqual({ hit: undefined, pending: '' });
  });
});

test('keys belong to text fields, except for chords with mod', () => {
  const input = document.createElement('input');
  const box = document.createElement('input');
  box.type = 'checkbox';
  expect([isTyping(input, 'j'), isTyping(input, 'mod+k'), isTyping(box, 'j'), isTyping(document.body, 'j')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
