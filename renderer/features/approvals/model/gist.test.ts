import { describe, expect, it } from 'vitest';
import { taskApproval, toolApproval } from '../../../testing/approvals.ts';
import { gistOf } from './gist.ts';

const ofInput = (input: string) => gistOf(toolApproval({ spec: { input } }));
const ofOutput = (output: unknown) => gistOf(taskApproval({ spec: { output } }));

describe('gistOf', () => {
  it('names the values of an input', () => {
    expect(ofInput('{"order":"1001","amount":90,"lines":[1,2]}')).toEqual([
      { key: 'order', value: '1001' },
      { key: 'amount', value: '90' },
      { key: 'lines', value: '[1,2]' },
    ]);
  });

  it('shows text that is no object as it is', () => {
    expect(ofInput('{not json')).toEqual([{ key: undefined, value: '{not json' }]);
    expect(ofInput('[1]')).toEqual([{ key: undefined, value: '[1]' }]);
    expect(ofInput('')).toEqual([]);
    expect(ofOutput('\n# Report\nAll is well.')).toEqual([{ key: undefined, value: '# Report\nAll is well.' }]);
    expect(ofOutput({ verdict: 'pay' })).toEqual([{ key: 'verdict', value: 'pay' }]);
  });

  it('is short for any content', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key-${index}`, 'x'.repeat(500)]));
    const parts = ofInput(JSON.stringify(many));
    expect(parts.map(({ value }) => value.length)).toEqual([121]);
    expect(ofInput(JSON.stringify({ a: 'x'.repeat(500) }))[0]?.value).toHaveLength(121);
    expect(ofInput(JSON.stringify(Object.fromEntries(Object.keys(many).map((key) => [key, 1]))))).toHaveLength(6);
    expect(ofOutput('😀'.repeat(200))[0]?.value).not.toMatch(/[\ud800-\udbff]…$/);
  });
});
