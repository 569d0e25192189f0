import { expect, test } from 'vitest';
import { runOutput } from './run-output.ts';

test.each([
  [undefined, { answer: undefined, agent: undefined, tokens: undefined }],
  [
    { last_output: 'yes', last_agent: 'writer', tokens_used_total: '1200' },
    { answer: 'yes', agent: 'writer', tokens: 1200 },
  ],
  [
    { last_output: '', last_agent: '', tokens_used_total: '0' },
    { answer: '', agent: undefined, tokens: 0 },
  ],
  [{ tokens_used_total: 'many' }, { answer: undefined, agent: undefined, tokens: undefined }],
  [{ tokens_used_total: '-1' }, { answer: undefined, agent: undefined, tokens: undefined }],
])('the output %j of a run is read as %j', (texts, output) => {
  expect(runOutput(texts)).toEqual(output);
});
