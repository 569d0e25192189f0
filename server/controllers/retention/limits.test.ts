// Limits of retention, as tables: the syntax of the flag, and when a finished Task may go.
import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../../store/store.ts';
import { dueAt, limitsOf, parseRetention, type RetentionLimits } from './limits.ts';

const HOUR_MS = 3_600_000;
const ENDED = Date.parse('2026-03-01T12:00:00.000Z');

describe('the value of --task-retention', () => {
  test.each<[string, RetentionLimits | undefined, Record<string, RetentionLimits>]>([
    ['720h', { ageMs: 720 * HOUR_MS }, {}],
    ['30d', { ageMs: 720 * HOUR_MS }, {}],
    ['1d12h', { ageMs: 36 * HOUR_MS }, {}],
    ['10000', { count: 10_000 }, {}],
    [' 1h30m , 5 ', { ageMs: 1.5 * HOUR_MS, count: 5 }, {}],
    ['team-a=24h', undefined, { 'team-a': { ageMs: 24 * HOUR_MS } }],
    ['team-a=500,team-a=24h,720h', { ageMs: 720 * HOUR_MS }, { 'team-a': { ageMs: 24 * HOUR_MS, count: 500 } }],
  ])('%j is read', (text, general, namespaces) => {
    const read = parseRetention(text);
    expect(read).toEqual({ ...(general && { general }), namespaces: new Map(Object.entries(namespaces)) });
  });

  test.each(['0', '0s', '-1', '1.5', '30days', '1h,', 'a=', '=1h', 'Team A=1h', 'a=b=1h', '1h,2h', 'a=1,a=2', '9999999999'])(
    '%j is refused',
    (text) => {
      expect(parseRetention(text)).toEqual(expect.any(String));
    },
  );

  test('limits of a namespace replace the general ones', () => {
    const read = parseRetention('1h,10,team-a=5');
    if (typeof read === 'string') throw new Error(read);
    expect(limitsOf(read, 'team-a')).toEqual({ count: 5 });
    expect(limitsOf(read, 'team-b')).toEqual({ ageMs: HOUR_MS, count: 10 });
    expect(limitsOf({ namespaces: new Map() }, 'team-b')).toBeUndefined();
  });
});

const COMPLETED_AT = new Date(ENDED).toISOString();

test.each<[string, string | undefined, RetentionLimits, boolean, number]>([
  ['goes at its age', undefined, { ageMs: HOUR_MS }, false, ENDED + HOUR_MS],
  ['stays for the days of its annotation', '2d', { ageMs: HOUR_MS }, false, ENDED + 48 * HOUR_MS],
  ['stays below the count', undefined, { count: 1 }, false, Infinity],
  ['goes above the count', undefined, { count: 1 }, true, ENDED],
  ['goes above the count before its age', undefined, { ageMs: HOUR_MS, count: 1 }, true, ENDED],
  ['stays with keep', 'keep', { ageMs: HOUR_MS, count: 1 }, true, Infinity],
  ['stays with an annotation that cannot be read', 'soon', { ageMs: HOUR_MS }, false, Infinity],
  ['stays for the longer age of its annotation', '3h', { ageMs: HOUR_MS }, false, ENDED + 3 * HOUR_MS],
  ['stays for the age of its annotation above the count', '3h', { count: 1 }, true, ENDED + 3 * HOUR_MS],
  ['goes at the age of the flag with a shorter annotation', '1m', { ageMs: HOUR_MS }, false, ENDED + HOUR_MS],
])('a finished Task %s', (_title, annotation, limits, surplus, due) => {
  expect(dueAt({ object: finished(annotation), completedAt: COMPLETED_AT }, limits, surplus)).toBe(due);
});

test('a finished Task without the moment of its end counts from its last write', () => {
  expect(dueAt({ object: finished(), completedAt: undefined }, { ageMs: HOUR_MS }, false)).toBe(ENDED + 2 * HOUR_MS);
});

function finished(annotation?: string): StoredObject {
  const [createdAt, updatedAt] = [-HOUR_MS, HOUR_MS].map((ms) => new Date(ENDED + ms).toISOString());
  const base = {
    uid: 'u',
    resourceVersion: 1,
    generation: 1,
    labels: {},
    spec: {},
    createdAt: createdAt ?? '',
    updatedAt: updatedAt ?? '',
  };
  const annotations: Record<string, string> = annotation === undefined ? {} : { 'svc.dev/task-retention': annotation };
  return { kind: 'Task', namespace: 'default', name: 't', ...base, annotations, status: { phase: 'Succeeded' } };
}
