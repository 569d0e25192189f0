// Language rule of messages: server, svcctl and shared code use the plain words of comments and screens.
import { expect, test } from 'vitest';
import { breaksServiceRules, serviceFindings } from './service-texts.ts';

test('messages and descriptions follow the language rules of CONTRIBUTING.md', () => {
  const findings = serviceFindings().map(({ path, line, text }) => `${path}:${line} ${text}`);
  expect(findings, 'reword these texts').toEqual([]);
  // Hundreds of files are parsed.
}, 60_000);

test.each([
  'the run goes on',
  'it is tried again',
  'was not asked for',
  'spec.name must be a text',
  'List what became of the newest slots',
  'ends the session for good',
  '"x" is no kind of this service',
  'the object of that name now is another one',
])('rejects "%s"', (text) => expect(breaksServiceRules(text)).toBe(true));

test.each([
  'There is no kind "x"',
  'the run continues',
  'spec.name must be a string',
  'it is no longer stored',
  'Only the agents of the run',
])('accepts "%s"', (text) => expect(breaksServiceRules(text)).toBe(false));
