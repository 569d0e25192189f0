import { INPUT_MAX_CHARS } from '@svc/shared/api/terminals';
import { expect, test } from 'vitest';
import { createReports, parts } from './terminal-link.ts';

test('long texts are sent in parts that cut no character', () => {
  const text = `${'x'.repeat(INPUT_MAX_CHARS - 1)}🦊${'y'.repeat(INPUT_MAX_CHARS)}`;
  const sent = parts(text);
  expect(sent.join('')).toBe(text);
  expect(sent.every((part) => part.length <= INPUT_MAX_CHARS)).toBe(true);
  expect(sent[0]).toBe('x'.repeat(INPUT_MAX_CHARS - 1));
});

test('shown output is reported when nothing waits, and in large portions while more does', () => {
  const reported: number[] = [];
  const reports = createReports((bytes) => reported.push(bytes));
  reports.received(10);
  reports.shown(10);
  expect(reported).toEqual([10]);
  for (let frame = 0; frame < 20; frame += 1) reports.received(32 * 1024);
  for (let frame = 0; frame < 20; frame += 1) reports.shown(32 * 1024);
  expect(reported).toEqual([10, 256 * 1024, 256 * 1024, 128 * 1024]);
});
