// CSV of results: texts of models and people stay texts.
import { expect, test } from 'vitest';
import type { ExperimentResult } from './api/experiments.ts';
import { experimentCsvHead, experimentCsvLine } from './experiment-csv.ts';

const RESULT: ExperimentResult = {
  ...{ run: 1, case: 'refund', variant: 'today', repeat: 1, task: 'tone-0001', outcome: 'Succeeded' },
  ...{ output: 'Yes.', output_chars: 4, error: null, tokens: 15, cost_usd: 0.01, unpriced_calls: 0, active_ms: 12 },
  ...{ completed_at: null, rating: { thumb: 'up', note: 'good', by: 'ann', at: '', version: 1 } },
};

test('has one column for each field of a result', () => {
  expect(experimentCsvHead()).toBe(
    'run,case,variant,repeat,task,outcome,output,output_chars,error,tokens,cost_usd,unpriced_calls,active_ms,thumb,note,rated_by\r\n',
  );
  expect(experimentCsvLine(RESULT)).toBe('1,refund,today,1,tone-0001,Succeeded,Yes.,4,,15,0.01,0,12,up,good,ann\r\n');
});

test.each([
  ['a comma', 'a,b', '"a,b"'],
  ['a quote', 'a "b"', '"a ""b"""'],
  ['lines', 'a\nb\r\nc', '"a\nb\r\nc"'],
  ['a formula', '=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['a sign', '+1', "'+1"],
  ['a minus', '-2+3', "'-2+3"],
  ['an at', '@SUM(A1)', "'@SUM(A1)"],
  ['a tab', '\t=1', "'\t=1"],
])('writes an output with %s as one text', (_, output, written) => {
  expect(experimentCsvLine({ ...RESULT, output })).toBe(`1,refund,today,1,tone-0001,Succeeded,${written},4,,15,0.01,0,12,up,good,ann\r\n`);
});

test('omits unknown values', () => {
  const bare = { ...RESULT, output: null, tokens: null, cost_usd: null, unpriced_calls: null, active_ms: null, rating: null, task: null };
  expect(experimentCsvLine(bare)).toBe('1,refund,today,1,,Succeeded,,4,,,,,,,,\r\n');
});
