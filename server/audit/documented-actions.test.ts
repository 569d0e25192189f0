// The page about the audit log and the log itself name the same actions.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AUDIT_ACTIONS } from './audit-event.ts';

test('the documented actions are those that exist', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/audit.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `') && !line.startsWith('| `action`'));
  const named = rows.flatMap((row) => row.split('|')[1]?.match(/[a-z_.]+/g) ?? []);
  expect(named.sort()).toEqual([...AUDIT_ACTIONS].sort());
});
