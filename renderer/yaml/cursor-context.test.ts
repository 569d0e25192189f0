import { expect, test } from 'vitest';
import { cursorContext } from './cursor-context.ts';

/** The bar marks the cursor. */
function at(text: string) {
  const offset = text.indexOf('|');
  return cursorContext(text.replace('|', ''), offset);
}

test.each([
  ['|', [], 'key', ''],
  ['ki|', [], 'key', 'ki'],
  ['kind: |', ['kind'], 'value', ''],
  ['kind: Ag|', ['kind'], 'value', 'Ag'],
  ['kind:|', ['kind'], 'value', ''],
  ['kind: Agent\nspec:\n  |', ['spec'], 'key', ''],
  ['spec:\n  mod|', ['spec'], 'key', 'mod'],
  ['spec:\n  memory:\n    ref: |', ['spec', 'memory', 'ref'], 'value', ''],
  ['spec:\n  memory:\n    ref: m\n  |', ['spec'], 'key', ''],
  ['spec:\n  memory:\n    ref: m\n|', [], 'key', ''],
  ['spec:\n  tools:\n    |', ['spec', 'tools'], 'key', ''],
  ['spec:\n  tools:\n    - |', ['spec', 'tools', 0], 'key', ''],
  ['spec:\n  tools:\n    - a\n    - b|', ['spec', 'tools', 1], 'key', 'b'],
  ['spec:\n  tools:\n  - a\n  - b|', ['spec', 'tools', 1], 'key', 'b'],
  ['spec:\n  tools:\n  - a\n  mo|', ['spec'], 'key', 'mo'],
  ['spec:\n  edges:\n    - to: a\n      |', ['spec', 'edges', 0], 'key', ''],
  ['spec:\n  edges:\n    - to: a\n    - to: |', ['spec', 'edges', 1, 'to'], 'value', ''],
  ['spec:\n  edges:\n    - - x\n      - |', ['spec', 'edges', 0, 1], 'key', ''],
  ['spec: {mod|', ['spec'], 'key', 'mod'],
  ['spec: {model_ref: |', ['spec', 'model_ref'], 'value', ''],
  ['spec: {a: 1, |', ['spec'], 'key', ''],
  ['spec:\n  tools: [a, |', ['spec', 'tools', 1], 'value', ''],
  ['spec:\n  tools: [a,\n    b|', ['spec', 'tools', 1], 'value', 'b'],
  ['spec:\n  edges: [{to: a}, {|', ['spec', 'edges', 1], 'key', ''],
  ['"quoted key": {"x: y": |', ['quoted key', 'x: y'], 'value', ''],
  ['a: 1\n---\nspec:\n  b|', ['spec'], 'key', 'b'],
  ['prompt: >\n  kind: x\n\n  y: z\nki|', [], 'key', 'ki'],
  ['spec:\n  # tools:\n  m|', ['spec'], 'key', 'm'],
  ['spec:\n  url: http://x/y#z\n  m|', ['spec'], 'key', 'm'],
  ['base: &x {a: 1, |', ['base'], 'key', ''],
] as const)('%j', (text, path, position, word) => {
  expect(at(text)).toMatchObject({ path, position, word });
});

test.each(['# kind|', 'kind: A # note|', 'prompt: >\n  kind: |', 'prompt: >\n  one\n\n  tw|'])('nothing is due in %j', (text) => {
  expect(at(text)).toBeUndefined();
});

test('a hostile line costs no more than its length', () => {
  const started = process.cpuUsage();
  cursorContext(`${'a '.repeat(200_000)}\n${' '.repeat(200_000)}x`, 600_000);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
});
