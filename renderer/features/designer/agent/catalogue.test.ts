// Templates of tools.
import { expect, test } from 'vitest';
import { TOOL_TEMPLATES } from './catalogue.ts';

const argsOf = (line: string) => {
  const { cli } = TOOL_TEMPLATES.find(({ id }) => id === 'cli')?.spec({ command: line }) as { cli: { command: string; args?: string[] } };
  return [cli.command, ...(cli.args ?? [])];
};

test.each([
  ['grep -n "{{ .query }}" notes.txt', ['grep', '-n', '{{ .query }}', 'notes.txt']],
  ['grep {{ .query }} --in={{ .file }}', ['grep', '{{ .query }}', '--in={{ .file }}']],
  [`find --name="a b" --by='c d' ''`, ['find', '--name=a b', '--by=c d', '']],
  [`echo it's`, ['echo', `it's`]],
])('the command %s has its arguments', (line, args) => {
  expect(argsOf(line)).toEqual(args);
});
