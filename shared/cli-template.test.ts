import { describe, expect, test } from 'vitest';
import { parseTemplate, renderTemplate, templateProblem, TemplateInputError } from './cli-template.ts';

const render = (text: string, input: unknown, maxChars = 1_000) => renderTemplate(parseTemplate(text), input, maxChars);

describe('a template fills in', () => {
  test.each([
    ['plain text', 'plain text', {}],
    ['', '', {}],
    ['{{ .a }}', 'x', { a: 'x' }],
    ['{{.a}}', 'x', { a: 'x' }],
    ['--in={{ .a.b.c }}/', '--in=7/', { a: { b: { c: 7 } } }],
    ['{{ .a }}{{ .b }}', 'truefalse', { a: true, b: false }],
    ['{{ .file-name }} {{ .größe }}', 'n 1', { 'file-name': 'n', größe: 1 }],
    ['{{ .a }}', '{{ .b }}', { a: '{{ .b }}', b: 'never' }],
    ['{{ .a }}', '$(rm -rf /); `x` "q" \'s\' -- *', { a: '$(rm -rf /); `x` "q" \'s\' -- *' }],
    ['{{ json .a }}', '{"b":[1,null]}', { a: { b: [1, null] } }],
    ['{{ .a | json }}', '"t"', { a: 't' }],
    ['{{ json . }}', '{"a":1}', { a: 1 }],
    ['{{ .a | default "d" }}', 'd', {}],
    ['{{ .a.b.c | default "d" }}', 'd', { a: 'text' }],
    ['{{ .a | default "d" }}', 'd', { a: null }],
    ['{{ .a | default "d" }}', 'd', { a: '' }],
    ['{{ .a | default "d" }}', '0', { a: 0 }],
    ['{{ .a | default 5 }}|{{ default true .b }}', '5|true', {}],
    ['{{ .a | default .b }}', 'x', { b: 'x' }],
    ['{{ join .a "," }}', '1,b,true', { a: [1, 'b', true] }],
    ['{{ .a | join ", " }}', '1, 2', { a: [1, 2] }],
    ['{{ .a | join }}', '1,2', { a: [1, 2] }],
    ['{{ .a | join "-" | json }}', '"1-2"', { a: [1, 2] }],
    ['{{ .a | join "," }}', '', { a: [] }],
    ['a  {{- .x -}}  b {{ .x }}', 'aXb X', { x: 'X' }],
    ['{{ "a\\n\\"}}" }}{{ `raw\\n` }}', 'a\n"}}raw\\n', {}],
    ['}} { {', '}} { {', {}],
  ])('%s → %s', (text, expected, input) => {
    expect(render(text, input)).toBe(expected);
  });
});

describe('an input that does not fill it is refused, by field', () => {
  test.each([
    ['{{ .a }}', {}, 'the field "a"'],
    ['{{ .a.b }}', { a: {} }, 'the field "a.b"'],
    ['{{ .a.length }}', { a: 'text' }, 'the field "a.length"'],
    ['{{ .constructor }}', {}, 'the field "constructor"'],
    ['{{ .__proto__.x }}', {}, 'the field "__proto__.x"'],
    ['{{ .a }}', { a: null }, 'null'],
    ['{{ .a }}', { a: [1] }, 'join or json'],
    ['{{ .a }}', { a: {} }, 'an object'],
    ['{{ . }}', { a: 1 }, 'an object'],
    ['{{ json .a }}', {}, 'the field "a"'],
    ['{{ .a | join "," }}', {}, 'the field "a"'],
    ['{{ .a | join "," }}', { a: 'x' }, 'not a list'],
    ['{{ .a | join "," }}', { a: [[1]] }, 'entry 0 of the field "a"'],
    ['{{ .a | default .b }}', {}, 'the field "b"'],
    ['{{ .a }}', { a: 'x'.repeat(1_001) }, 'more than 1000 characters'],
    ['{{ .a }}{{ .a }}', { a: 'x'.repeat(501) }, 'more than 1000 characters'],
  ])('%s of %j', (text, input, message) => {
    expect(() => render(text, input)).toThrow(TemplateInputError);
    expect(() => render(text, input)).toThrow(message);
  });
});

describe('reports an invalid template before it reads any input', () => {
  test.each([
    ['{{ .a', 'without its "}}"'],
    ['{{ }}', 'nothing to show'],
    ['{{ .a | }}', 'nothing to show'],
    ['{{ .a .b }}', 'side by side'],
    ['{{ .a | .b }}', 'not a function'],
    ['{{ upper .a }}', '"upper"'],
    ['{{ a }}', 'fields begin with a dot'],
    ['{{ json }}', '0 values'],
    ['{{ json .a .b }}', '2 values'],
    ['{{ .a | default }}', '1 values'],
    ['{{ if .a }}x{{ end }}', '"if"'],
    ['{{ .a; }}', 'unexpected ";"'],
    ['{{ (json .a) }}', 'unexpected "("'],
    ['{{ "open }}', 'unexpected'],
    ['{{ "\\q" }}', 'escape'],
    ['{{ json json }}', 'use a pipe'],
    [`{{ .a${' | json'.repeat(20)} }}`, 'more than 16 stages'],
    ['x'.repeat(9_000), 'longer than 8192'],
  ])('%s', (text, problem) => {
    expect(templateProblem(text)).toContain(problem);
  });

  test('a template that parses has no problem', () => expect(templateProblem('{{ .a | default "x" }}')).toBeUndefined());
});

test('reports long unfinished templates in linear time', () => {
  const began = process.cpuUsage();
  for (const piece of ['{{', '{{ ', '"', '{{ "\\', '{{ .a-', '{{ .a | ', '{{ . ']) templateProblem(piece.repeat(8_192 / piece.length));
  templateProblem(`{{ ${' '.repeat(8_000)}`);
  templateProblem(`{{ .a${' '.repeat(8_000)}x`);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000);
});
