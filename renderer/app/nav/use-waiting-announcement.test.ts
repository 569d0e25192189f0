// Only a number that grows within one namespace is announced.
import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { announce, useAnnouncement } from '../../ui/feedback/announcer.ts';
import { useWaitingAnnouncement } from './use-waiting-announcement.ts';

interface Counted {
  readonly waiting: number | undefined;
  readonly namespace?: string;
}

test('approvals that arrive are announced, but not those of a namespace that opens', () => {
  vi.useFakeTimers();
  const initialProps: Counted = { waiting: undefined };
  const { rerender, result } = renderHook(
    ({ waiting, namespace = 'ops' }: Counted) => {
      useWaitingAnnouncement(waiting, namespace);
      return useAnnouncement();
    },
    { initialProps },
  );
  const heardAfter = (waiting: number | undefined, namespace?: string) => {
    rerender({ waiting, ...(namespace !== undefined && { namespace }) });
    act(() => {
      vi.advanceTimersByTime(1_000);
    });
    return result.current;
  };
  // Texts that other tests of the process left waiting are read out with this one.
  announce('start');
  const earlier = heardAfter(0);
  expect(earlier).toContain('start');
  expect(heardAfter(1)).toBe('1 approval waits');
  expect(heardAfter(3)).toBe('3 approvals wait');
  expect(heardAfter(2)).toBe('3 approvals wait');
  expect(heardAfter(undefined, 'desk')).toBe('3 approvals wait');
  expect(heardAfter(9, 'desk')).toBe('3 approvals wait');
});
