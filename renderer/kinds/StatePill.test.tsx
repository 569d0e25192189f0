import { cleanup, render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { StatePill } from './StatePill.tsx';

const shown = (kind: string, status: object) => {
  cleanup();
  return render(<StatePill kind={kind} status={status} />).container.textContent;
};

test.each([
  ['Failed', 'cancelled', 'Cancelled'],
  ['Failed', 'approval_denied', 'Denied'],
  ['DeadLetter', 'approval_denied', 'Denied'],
  ['Failed', 'timeout', 'Failed'],
  ['Running', 'cancelled', 'Running'],
])('a Task in %s with reason %s shows %s', (phase, reason, label) => expect(shown('Task', { phase, reason })).toBe(label));

test('a kind without outcomes shows its phase', () =>
  expect(shown('ToolApproval', { phase: 'Pending', reason: 'cancelled' })).toBe('Waiting'));

test('a kind with one state and an object without a phase show nothing', () => {
  expect([shown('AgentRole', { phase: 'Pending' }), shown('Task', {})]).toEqual(['', '']);
});
