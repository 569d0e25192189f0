// The page about the engine and the journal itself name the same entries.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENTRY_TYPES } from './entries.ts';

test('the documented journal entries are those that exist', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/engine.md'), 'utf8');
  const [, table = ''] = /^\| Entry .*\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const named = table.split('\n').flatMap((row) => row.split('|')[1]?.match(/[a-z]+\.[a-z_]+/g) ?? []);
  expect(named.sort()).toEqual(Object.keys(ENTRY_TYPES).sort());
});
