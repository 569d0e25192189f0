// The filter by name while the address updates slowly: no key is lost, and outside changes are shown.
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NameSearch } from './NameSearch.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setup() {
  const changed = vi.fn();
  const { rerender } = render(<NameSearch value="" onChange={changed} />);
  const field = () => screen.getByRole<HTMLInputElement>('searchbox');
  return {
    changed,
    arrive: (value: string) => rerender(<NameSearch value={value} onChange={changed} />),
    type: (value: string) => fireEvent.change(field(), { target: { value } }),
    pass: () => act(() => vi.advanceTimersByTimeAsync(250)),
    text: () => field().value,
  };
}

test('keys typed while the address is updating stay, and are reported afterwards', async () => {
  const { changed, arrive, type, pass, text } = setup();
  type('a');
  await pass();
  type('ab');
  await pass();
  type('abc');
  arrive('a');
  arrive('ab');
  expect(text()).toBe('abc');
  await pass();
  expect(changed.mock.calls).toEqual([['a'], ['ab'], ['abc']]);
});

test('a change of the address is shown, even when it equals an earlier report', async () => {
  const { arrive, type, pass, text } = setup();
  type('ab');
  await pass();
  arrive('ab');
  arrive('');
  expect(text()).toBe('');
  arrive('ab');
  expect(text()).toBe('ab');
});
