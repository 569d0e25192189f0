import { describe, expect, test } from 'vitest';
import { choiceParam, flagParam, listParam, numberParam, panelParam, readSearch, textParam, writeSearch } from './search-state.ts';
import { parseSearch, stringifySearch } from './search-text.ts';

const params = { q: textParam, phase: listParam, live: flagParam, tab: choiceParam(['overview', 'yaml']), limit: numberParam(50) };

describe('the query', () => {
  test('is read by the page, and invalid values are the default', () => {
    expect(readSearch(params, parseSearch('?q=a%20b&phase=Failed&phase=Running&tab=nope&limit=many'))).toEqual({
      q: 'a b',
      phase: ['Failed', 'Running'],
      live: false,
      tab: 'overview',
      limit: 50,
    });
  });
  test('keeps parameters of other readers, and omits defaults', () => {
    const before = parseSearch('?scope=all&tab=yaml&q=x');
    expect(stringifySearch(writeSearch(params, before, { tab: 'overview', phase: ['Failed'], q: '' }))).toBe('?scope=all&phase=Failed');
  });
  test('loses the object of the inspector when a parameter shows a panel', () => {
    const panels = { span: panelParam(textParam), q: textParam };
    const change = (text: string, to: Parameters<typeof writeSearch<typeof panels>>[2]) =>
      stringifySearch(writeSearch(panels, parseSearch(text), to));
    expect(change('?span=a&peek=Tool/ops/mail', { span: 'b' })).toBe('?span=b');
    expect(change('?span=a&peek=Tool/ops/mail', { span: 'a' })).toBe('?span=a');
    expect(change('?span=a&peek=Tool/ops/mail', { span: '' })).toBe('?peek=Tool%2Fops%2Fmail');
    expect(change('?span=a&peek=Tool/ops/mail', { q: 'x' })).toBe('?span=a&peek=Tool%2Fops%2Fmail&q=x');
  });
  test('accepts odd names without touching prototypes', () => {
    expect(Object.keys(parseSearch('?__proto__=x&constructor=y'))).toEqual(['__proto__', 'constructor']);
  });
  test('is restored unchanged', () => {
    const text = '?a=1&b=x&b=y&c=%26';
    expect(stringifySearch(parseSearch(text))).toBe(text);
  });
});
