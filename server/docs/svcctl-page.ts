// The reference page of svcctl, from the declarations of its commands.
import type { CommandDescription, OptionDescription, ProgramDescription } from '../cli/program/describe-commands.ts';
import { EXIT_CODES_HELP } from '../cli/program/exit-codes.ts';
import { anchor, code, codeBlock, codeList, GENERATED_NOTICE, page, prose, sentence, table } from './markdown.ts';

function optionsTable(options: readonly OptionDescription[]): string {
  const meaning = (option: OptionDescription) => {
    const values = option.values.length > 0 ? ` (${codeList(option.values)})` : '';
    return `${prose(option.description)}${values}`;
  };
  return table(
    ['Option', 'Default', 'Meaning'],
    options.map((option) => [`${code(option.flags)}${option.required ? ' (required)' : ''}`, code(option.defaultText), meaning(option)]),
  );
}

function commandBlocks(command: CommandDescription, heading: string): string[] {
  return [
    `${heading} ${command.name}`,
    sentence(prose(command.summary)),
    // A command with subcommands does nothing by itself.
    command.subcommands.length > 0 ? '' : codeBlock('', `npx svcctl ${command.usage}`),
    table(
      ['Argument', 'Meaning'],
      command.arguments.filter(({ description }) => description !== '').map(({ name, description }) => [code(name), prose(description)]),
    ),
    optionsTable(command.options),
    codeBlock('sh', command.examples.map((example) => `npx svcctl ${example}`).join('\n')),
    ...command.subcommands.flatMap((sub) => commandBlocks({ ...sub, name: `${command.name} ${sub.name}` }, `${heading}#`)),
  ];
}

const title = (group: string): string => group.replace(/:$/, '');

function exitCodesTable(): string {
  const entries = [...EXIT_CODES_HELP.matchAll(/^ {2}(\d+)\s+(.+(?:\n {7}.+)*)$/gm)];
  return table(
    ['Code', 'Meaning'],
    entries.map(([, exitCode = '', meaning = '']) => [code(exitCode), sentence(prose(meaning.replace(/\s+/g, ' ')))]),
  );
}

export function svcctlPage(program: ProgramDescription): string {
  const groups = [...program.groups];
  const index = groups.flatMap(([group, commands]) =>
    commands.map(({ name, summary }) => [title(group), `[${code(name)}](#${anchor(name)})`, prose(summary)]),
  );
  return page([
    GENERATED_NOTICE,
    '# svcctl',
    'The command line of the service. It speaks to a server over HTTP only (`migrate-store`, which copies one database into another, aside). In a checkout it is started as `npx svcctl`; `npx svcctl COMMAND --help` shows what is below.',
    table(['Group', 'Command', 'What it does'], index),
    '## Global options',
    'They may come before or after the command.',
    optionsTable(program.globalOptions),
    '`HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name the [proxy](../operations.md#behind-a-proxy) on the way to the server.',
    '## Exit codes',
    exitCodesTable(),
    ...groups.flatMap(([group, commands]) => [`## ${title(group)}`, ...commands.flatMap((command) => commandBlocks(command, '###'))]),
  ]);
}
