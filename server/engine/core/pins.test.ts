import { expect, test } from 'vitest';
import { countPin, pinnedOutput } from './pins.ts';
import type { DataOf } from './entries.ts';
import type { AttemptState, TurnState } from './state.ts';

test('counts the pins of an agent whose name every object has', () => {
  const outputs = [{ output: 'first' }, { output: 'second' }];
  const pins = { writer: { outputs, repeats: false }, constructor: { outputs, repeats: false } };
  const attempt = { snapshot: { task: { trial: { pins } } } } as unknown as AttemptState;
  const next = (name: string) => {
    const found = pinnedOutput(attempt, { agent: { name } } as unknown as TurnState);
    countPin(attempt, { agent: name, pinned: true } as unknown as DataOf<'agent.completed'>);
    return found?.output;
  };
  expect([next('writer'), next('constructor'), next('constructor'), next('constructor')]).toEqual(['first', 'first', 'second', undefined]);
});
