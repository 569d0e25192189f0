// Icons and summaries of the generated table of kinds.
import { kinds } from '@svc/shared/kinds';
import { expect, test } from 'vitest';
import { kindIcons } from 'virtual:kind-table';
import { kindNamed } from './kind-table.ts';

test.each(kinds.map(({ kind, icon }) => [kind, icon]))('table of kinds holds a summary of %s and its Lucide icon %s', (kind) => {
  expect(kindNamed(kind)).toMatchObject({ kind });
  expect((kindIcons as Record<string, unknown>)[kind]).toBeDefined();
});

test('columns of the table have the types of their fields', () => {
  const types = Object.fromEntries(kindNamed('Session')?.columns.map(({ path, type }) => [path, type]) ?? []);
  expect(types).toMatchObject({ 'status.completedTurns': 'number', 'status.lastActivityAt': 'time', 'metadata.createdAt': 'time' });
  expect(types['spec.system']).toBe('name');
  expect(types['status.phase']).toBeUndefined();
});
