// Language rule of screens: plain words, and one noun for each thing.
import { expect, test } from 'vitest';
import { breaksScreenRules, screenFindings, screenTexts } from './screen-texts.ts';

test('texts of screens follow the language rules of CONTRIBUTING.md', () => {
  const findings = screenFindings().map(({ path, line, text }) => `${path}:${line} ${text}`);
  expect(findings, 'reword these texts').toEqual([]);
  // Hundreds of files are parsed.
}, 60_000);

test.each([
  'This cannot be taken back.',
  'The trace says who decided.',
  'Events that tell of it stay.',
  '2 tasks are running',
  'Remove the route',
  'The session is paused',
  'Wait for an Approval',
])('rejects "%s"', (text) => expect(breaksScreenRules(text)).toBe(true));

test.each([
  'This cannot be undone.',
  'A Task with mode: template',
  'The field “edges” can hold conditions.',
  'curl /v1/tasks -H',
  'The Session waits for an approval',
])('accepts "%s"', (text) => expect(breaksScreenRules(text)).toBe(false));

test('reads texts between elements, strings and templates, and no code or class names', () => {
  const source =
    'const a = <p className="x y" title="One two">Three {four} five six</p>; const b = `seven ${task.name} eight`; const c = "nine";';
  expect(screenTexts('renderer/x.tsx', source).map(({ text }) => text)).toEqual(['One two', 'five six', 'seven … eight']);
});
