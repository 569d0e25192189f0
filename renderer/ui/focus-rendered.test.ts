// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { focusRendered } from './focus-rendered.ts';

const frame = () => vi.advanceTimersToNextFrame();

function button(): HTMLButtonElement {
  const element = document.createElement('button');
  document.body.append(element);
  return element;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

test('an element that is rendered frames later gets the focus then', () => {
  focusRendered(() => document.querySelector('button'));
  for (let index = 0; index < 5; index += 1) frame();
  const element = button();
  frame();
  expect(document.activeElement).toBe(element);
});

test.each(['keydown', 'pointerdown'])('a %s before that leaves the focus where it is', (type) => {
  const field = document.body.appendChild(document.createElement('input'));
  focusRendered(() => document.querySelector('button'));
  field.focus();
  document.body.dispatchEvent(new Event(type, { bubbles: true }));
  button();
  for (let index = 0; index < 5; index += 1) frame();
  expect(document.activeElement).toBe(field);
});

test('an element that is never rendered is not waited for without end', () => {
  const find = vi.fn(() => null);
  focusRendered(find);
  for (let index = 0; index < 100; index += 1) frame();
  expect(find).toHaveBeenCalledTimes(30);
});
