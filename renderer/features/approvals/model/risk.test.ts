import { expect, test } from 'vitest';
import { careFor, graver, riskOf } from './risk.ts';

test('an unreadable risk never counts as low', () => {
  expect([riskOf(undefined), riskOf({ risk_level: 'enormous' }), riskOf({}), riskOf({ risk_level: 'high' })]).toEqual([
    'unknown',
    'unknown',
    'low',
    'high',
  ]);
});

test('the graver of the recorded and the current risk counts', () => {
  expect([graver('low', 'high'), graver('critical', 'unknown'), graver('low', 'unknown')]).toEqual(['high', 'critical', 'unknown']);
});

test.each([
  ['approved', 'low', 'hold'],
  ['denied', 'low', 'hold'],
  ['approved', 'medium', 'arm'],
  ['approved', 'unknown', 'arm'],
  ['approved', 'high', 'arm'],
  ['approved', 'critical', 'typed'],
  ['denied', 'critical', 'arm'],
  ['approved', undefined, 'arm'],
] as const)('%s at %s risk: %s', (decision, risk, care) => {
  expect(careFor(decision, risk)).toBe(care);
});
