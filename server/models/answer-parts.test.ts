import { expect, test } from 'vitest';
import { json, text } from '../testing/loopback-server.ts';
import { ask, startModelServer } from '../testing/model-calls.ts';
import { MODEL_DIALECTS } from '../testing/model-dialects.ts';
import { answeredBy, argumentsWritten, callIds, finishWord, holdTooManyValues, tokenCount } from './answer-parts.ts';

test('ids are the model’s own where they are usable, and differ in any case', () => {
  const ids = ['a', '', 'a', 'x'.repeat(300), 'call_2_2'].map((id) => ({ id }));
  expect(callIds(ids, 2)).toEqual(['a', 'call_2_2', 'call_2_3', 'call_2_4', 'call_2_5']);
});

test.each([
  [0, 0],
  [7, 7],
  [-1, undefined],
  [1.5, undefined],
  [Number.NaN, undefined],
  [1e300, undefined],
  ['7', undefined],
  [null, undefined],
])('a count of %s is %s tokens', (value, expected) => {
  expect(tokenCount(value)).toBe(expected);
});

test.each([
  [undefined, 0, 'stop'],
  ['', 2, 'tool_calls'],
  ['stop', 2, 'tool_calls'],
  ['length', 2, 'length'],
  ['made_up', 0, 'made_up'],
  ['two words', 0, 'unknown'],
  ['x'.repeat(100), 0, 'unknown'],
  [7, 0, 'stop'],
])('the end %j with %i calls is %s', (word, calls, expected) => {
  expect(finishWord(word, calls)).toBe(expected);
});

test('a model has a name of bounded length', () => {
  expect(answeredBy(`${'m'.repeat(255)}😀`, 'asked')).toBe('m'.repeat(255));
  expect([answeredBy('m'.repeat(1_000), 'asked').length, answeredBy('', 'asked'), answeredBy(7, 'asked')]).toEqual([256, 'asked', 'asked']);
});

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

test.each([
  ['many calls', Array.from({ length: 64 }, () => 2_000), true],
  ['one call, which is refused by itself', [150_000], false],
  ['few calls', [40_000, 40_000], false],
])('values of %s are counted together', (_, calls, tooMany) => {
  expect(holdTooManyValues(calls.map((values) => ({ arguments: `[${'1,'.repeat(values)}1]` })))).toBe(tooMany);
});

test('arguments are text as they came, objects as JSON, and nothing where they are neither', () => {
  expect(['{"a":1}', { a: 1 }, 7, null, [1]].map(argumentsWritten)).toEqual(['{"a":1}', '{"a":1}', '', '', '']);
  expect(argumentsWritten(JSON.parse(deep(20_000)))).toBe('(nested too deeply)');
});

test.each(MODEL_DIALECTS)('$title: arguments that are nested too deeply do no harm', async ({ spec, whole, stream, streamType }) => {
  const said = { calls: [{ name: 'look', arguments: '{"a":"HERE"}' }], finish: 'tool_calls' } as const;
  const written = (body: string) =>
    body.replace(/\{\\?"a\\?":\\?"HERE\\?"\}/, (found) => (found.includes('\\') ? deep(20_000).replaceAll('"', '\\"') : deep(20_000)));
  const { server, port } = await startModelServer(
    text(written(JSON.stringify(whole(said))), 200, { 'content-type': 'application/json' }),
    text(written(stream(said)), 200, { 'content-type': streamType }),
    json({}),
  );
  for (const deltas of [undefined, []]) {
    const { toolCalls } = await ask(port, { spec: spec(server.url), ...(deltas && { deltas }) });
    expect(toolCalls.map(({ name }) => name)).toEqual(['look']);
  }
});
