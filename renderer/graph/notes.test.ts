import { expect, test } from 'vitest';
import { newNote, readNotes, writeNotes } from './notes.ts';

test('notes survive being written and read', () => {
  const notes = [
    { id: '0', kind: 'note' as const, text: 'Why: "cost"\n1 < 2', x: -4, y: 8, width: 220, height: 120 },
    { id: '1', kind: 'group' as const, text: 'Drafting', x: 0, y: 0, width: 400, height: 300 },
  ];
  expect(readNotes(writeNotes(notes))).toEqual(notes);
  expect(writeNotes([])).toBeUndefined();
});

test.each(['{', '{}', '[1, null, {"b": [1, 2]}]', '[{"b": ["x", 1, 2, 3]}]', undefined, 7])(
  'an annotation of %j holds no notes',
  (annotation) => {
    expect(readNotes(annotation)).toEqual([]);
  },
);

test('a note of no size is still large enough to read and to hold', () => {
  expect(readNotes('[{"b": [1, 2, 0, -5]}]')).toMatchObject([{ kind: 'note', text: '', x: 1, y: 2, width: 120, height: 64 }]);
});

test('a new note covers no agent', () => {
  const taken = [{ x: 100, y: 100, width: 200, height: 100 }];
  expect(newNote('note', { at: { x: 200, y: 150 }, around: [], taken })).toMatchObject({ x: 90, y: 244 });
});

test('a new note covers no route between agents', () => {
  const taken = [0, 700].map((x) => ({ x, y: 100, width: 200, height: 100 }));
  expect(newNote('note', { at: { x: 450, y: 150 }, around: [], taken })).toMatchObject({ x: 340, y: 244 });
});

test('a new note in a large picture stays where it is seen', () => {
  const taken = [0, 1000, 2000].map((y) => ({ x: 100, y, width: 200, height: 100 }));
  expect(newNote('note', { at: { x: 200, y: 50 }, around: [], taken })).toMatchObject({ x: 90, y: -10 });
});

test('a group frames the selected agents, and a note is drawn at its place', () => {
  const around = [{ x: 100, y: 100, width: 200, height: 100 }];
  expect(newNote('group', { at: { x: 0, y: 0 }, around, taken: around })).toMatchObject({ x: 72, y: 44, width: 256, height: 184 });
  expect(newNote('note', { at: { x: 110, y: 60 }, around: [], taken: [] })).toMatchObject({ x: 0, y: 0, width: 220, height: 120 });
});
