import { parseTemplate } from '@svc/shared/cli-template';
import { expect, test } from 'vitest';
import { callError } from '../../testing/call-error.ts';
import { argvOf } from './argv.ts';

const argv = (args: readonly string[], input: Record<string, never> | object, maxBytes = 64) =>
  argvOf({ command: 'cmd', args: args.map(parseTemplate) }, input as never, { maxBytes, title: 'Tool "t/x"' });

test('each template is exactly one argument, whatever it expands to', () => {
  const input = { a: 'one two', b: '', c: '-rf', d: ['x', 'y'], e: '$(id) ; "' };
  expect(argv(['{{ .a }}', '{{ .b }}', '{{ .c }}', '{{ join .d "," }}', '{{ .e }}', 'plain'], input)).toEqual([
    'cmd',
    'one two',
    '',
    '-rf',
    'x,y',
    '$(id) ; "',
    'plain',
  ]);
});

test.each([
  ['a missing field', ['-n', '{{ .gone }}'], {}, 'template_input', 'argument 1 of Tool "t/x" needs the field "gone"'],
  ['a list without join', ['{{ .a }}'], { a: [] }, 'template_input', 'join or json'],
  ['a NUL', ['{{ .a }}'], { a: 'x\0y' }, 'template_input', 'NUL'],
  ['one long argument', ['{{ .a }}'], { a: 'x'.repeat(65) }, 'template_input', 'more than 64'],
  ['many arguments', ['{{ .a }}', '{{ .a }}'], { a: 'x'.repeat(30) }, 'argv_too_long', '66 bytes, and at most 64'],
  ['bytes, not characters', ['{{ .a }}'], { a: 'é'.repeat(30) }, 'argv_too_long', '65 bytes'],
])('%s is an error that the model can react to', (_what, args, input, reason, message) => {
  const error = callError(() => argv(args, input));
  expect(error).toMatchObject({ code: 'invalid_input', retryable: false, reason });
  expect(error.message).toContain(message);
});

test('exactly the longest command line passes', () => {
  expect(argv(['{{ .a }}'], { a: 'x'.repeat(59) })).toHaveLength(2);
});
