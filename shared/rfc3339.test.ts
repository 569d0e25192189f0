import { expect, test } from 'vitest';
import { parseRfc3339 } from './rfc3339.ts';

test.each([
  ['2026-11-24T08:30:00Z', '2026-11-24T08:30:00.000Z'],
  ['2026-11-24T09:30:00+01:00', '2026-11-24T08:30:00.000Z'],
  ['2026-11-24T08:30:00.123456Z', '2026-11-24T08:30:00.123Z'],
  ['2024-02-29T23:59:59-00:30', '2024-03-01T00:29:59.000Z'],
])('%s is the moment %s', (text, moment) => {
  expect(parseRfc3339(text)).toBe(Date.parse(moment));
});

test.each(['', '2026-11-24', '2026-11-24T08:30Z', '2026-11-24T08:30:00', '2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z'])(
  '"%s" is no time',
  (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  },
);

test.each(['2026-11-24T24:00:00Z', '2026-11-24T08:60:00Z', '2026-11-24T08:30:00+99:00', '1.1.2026', 'now'])('"%s" is no time', (text) => {
  expect(parseRfc3339(text)).toBeUndefined();
});
