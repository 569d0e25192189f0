import { expect, test } from 'vitest';
import { formatDateTime } from '../status/format.ts';
import { timesIn } from './ServerText.tsx';

const AT = '2026-11-30T15:43:24.718Z';
const WAITS = `decide ToolApproval pay until ${AT}; approve or deny`;

test('an instant in a sentence has the format of the person', () => {
  const local = formatDateTime(Date.parse(AT), 'local', 'en-US');
  expect(timesIn(WAITS, 'utc', 'en-US')).toBe('decide ToolApproval pay until Nov 30, 2026, 15:43:24 UTC; approve or deny');
  expect(timesIn(WAITS, 'local', 'en-US')).toBe(`decide ToolApproval pay until ${local}; approve or deny`);
  expect(timesIn(WAITS, 'relative', 'en-US')).toBe(`decide ToolApproval pay until ${local}; approve or deny`);
});

test('other text stays, invalid dates too', () => {
  expect(timesIn('waits until 2026-19-41T10:00:00Z for 3 runs', 'utc')).toBe('waits until 2026-19-41T10:00:00Z for 3 runs');
});
