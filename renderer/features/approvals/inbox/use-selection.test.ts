// The selection holds exactly the approvals that the person saw.
import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { toolApproval } from '../../../testing/approvals.ts';
import type { QueueItem } from './queue.ts';
import { useSelection } from './use-selection.ts';

function item(uid: string): QueueItem {
  return { approval: { ...toolApproval({}), uid }, risk: 'low', system: undefined };
}

test('an approval that takes the name of a selected one is not selected', () => {
  const { result, rerender } = renderHook(useSelection, { initialProps: [item('first')] });
  const { key } = item('first').approval;
  act(() => result.current.toggle(key, false));
  expect([...result.current.selected]).toEqual([key]);
  rerender([item('second')]);
  expect([...result.current.selected]).toEqual([]);
});
