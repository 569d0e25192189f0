// A press on a button whose popover is still loading is never lost.
import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LazyTrigger } from './LazyTrigger.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const onWanted = vi.fn();
  render(
    <LazyTrigger popup="dialog" onWanted={onWanted}>
      <button type="button">Views</button>
    </LazyTrigger>,
  );
  return { button: screen.getByRole('button', { name: 'Views' }), onWanted };
}

test('a mouse press counts before its click, for which the button may be replaced', () => {
  const { button, onWanted } = setUp();
  fireEvent.pointerDown(button, { pointerType: 'mouse', button: 0 });
  vi.runAllTimers();
  expect(onWanted).toHaveBeenCalled();
});

test('a mouse press leaves the button in place until the browser has moved the focus to it', () => {
  const { button, onWanted } = setUp();
  fireEvent.pointerDown(button, { pointerType: 'mouse', button: 0 });
  fireEvent.mouseDown(button);
  expect(onWanted).not.toHaveBeenCalled();
});

test.each([
  ['a touch, which may begin a scroll,', { pointerType: 'touch', button: 0 }],
  ['the secondary mouse button', { pointerType: 'mouse', button: 2 }],
])('%s does not open before its click', (_title, press) => {
  const { button, onWanted } = setUp();
  fireEvent.pointerDown(button, press);
  vi.runAllTimers();
  expect(onWanted).not.toHaveBeenCalled();
});

test('a disabled button opens nothing', () => {
  const { button, onWanted } = setUp();
  button.setAttribute('aria-disabled', 'true');
  fireEvent.pointerDown(button, { pointerType: 'mouse', button: 0 });
  vi.runAllTimers();
  expect(onWanted).not.toHaveBeenCalled();
});

test('Enter and Space open through the click that they cause', () => {
  const { button, onWanted } = setUp();
  fireEvent.click(button);
  expect(onWanted).toHaveBeenCalledOnce();
});
