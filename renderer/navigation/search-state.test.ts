import { describe, expect, test } from 'vitest';
import { choiceParam, flagParam, listParam, numberParam, readSearch, textParam, writeSearch } from './search-state.ts';
import { parseSearch, stringifySearch } from './search-text.ts';

const params = { q: textParam, phase: listParam, live: flagParam, tab: choiceParam(['overview', 'yaml']), limit: numberParam(50) };

describe('the query', () => {
  test('is read by the page, and what makes no sense is the default', () => {
    expect(readSearch(params, parseSearch('?q=a%20b&phase=Failed&phase=Running&tab=nope&limit=many'))).toEqual({
      q: 'a b',
      phase: ['Failed', 'Running'],
      live: false,
      tab: 'overview',
      limit: 50,
    });
  });
  test('keeps what belongs to others, and leaves out defaults', () => {
    const before = parseSearch('?scope=all&tab=yaml&q=x');
    expect(stringifySearch(writeSearch(params, before, { tab: 'overview', phase: ['Failed'], q: '' }))).toBe('?scope=all&phase=Failed');
  });
  test('holds odd names without touching prototypes', () => {
    expect(Object.keys(parseSearch('?__proto__=x&constructor=y'))).toEqual(['__proto__', 'constructor']);
  });
  test('comes back as it was', () => {
    const text = '?a=1&b=x&b=y&c=%26';
    expect(stringifySearch(parseSearch(text))).toBe(text);
  });
});
