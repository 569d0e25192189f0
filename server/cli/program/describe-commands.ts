// svcctl's commands as data, read from their own declarations, for the reference page.
import { Readable, Writable } from 'node:stream';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { COMMANDS } from './command-list.ts';
import type { CommandSetup } from './command-setup.ts';
import { EXAMPLES } from './examples.ts';
import { buildProgram, pathOf } from './program.ts';
import { withScreens, type Terminal } from './terminal.ts';

export interface OptionDescription {
  readonly flags: string;
  readonly description: string;
  readonly values: readonly string[];
  readonly defaultText: string;
  readonly required: boolean;
}

export interface CommandDescription {
  readonly name: string;
  /** Everything after the program's name, `config set-profile [options] <name>`. */
  readonly usage: string;
  readonly summary: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionDescription[];
  /** Command lines behind the program's name. */
  readonly examples: readonly string[];
  readonly subcommands: readonly CommandDescription[];
}

export interface ProgramDescription {
  readonly globalOptions: readonly OptionDescription[];
  /** The shown commands by their group, in the order of `svcctl --help`. */
  readonly groups: ReadonlyMap<string, readonly CommandDescription[]>;
}

/** A terminal without output: declaring commands prints nothing. */
const silentTerminal = (): Terminal => ({
  ...withScreens({
    stdin: Readable.from([]),
    stdout: new Writable(),
    stderr: new Writable(),
    env: {},
    cwd: '/',
    onInterrupt: () => () => undefined,
  }),
  program: 'svcctl',
});

function describeOptions(command: CommandUnknownOpts): OptionDescription[] {
  return command.options.map((option) => ({
    flags: option.flags,
    description: option.description,
    values: option.argChoices ?? [],
    // A negatable flag (--no-color) is on by default, which its description says better.
    defaultText: option.negate ? '' : (option.defaultValueDescription ?? String(option.defaultValue ?? '')),
    required: option.mandatory,
  }));
}

function describeCommand(command: CommandUnknownOpts, prefix = ''): CommandDescription {
  const path = `${prefix}${command.name()}`;
  return {
    name: command.name(),
    usage: `${path} ${command.usage()}`,
    summary: command.description(),
    arguments: command.registeredArguments.map((argument) => ({ name: argument.name(), description: argument.description })),
    options: describeOptions(command),
    examples: EXAMPLES[path] ?? [],
    subcommands: command.commands.map((sub) => describeCommand(sub, `${path} `)),
  };
}

/** Parses a command line without running it, and answers with the path of its command; throws when it is wrong. */
export async function parseLine(argv: readonly string[]): Promise<string> {
  let reached = '';
  const program = buildProgram(
    silentTerminal(),
    () => undefined,
    async () => undefined,
  );
  program.hook('preAction', (_program, command) => {
    reached = pathOf(command);
  });
  await program.parseAsync([...argv], { from: 'user' });
  return reached;
}

/** Loads and declares every command; runs none. */
export async function describeProgram(): Promise<ProgramDescription> {
  const program = buildProgram(silentTerminal(), () => undefined);
  const groups = new Map<string, CommandDescription[]>();
  for (const entry of COMMANDS.filter(({ hidden }) => !hidden)) {
    const command = program.commands.find((each) => each.name() === entry.name);
    if (!command) continue;
    const setup: CommandSetup = await entry.load();
    setup(command as Parameters<CommandSetup>[0], async () => undefined);
    groups.set(entry.group, [...(groups.get(entry.group) ?? []), describeCommand(command)]);
  }
  return { globalOptions: describeOptions(program), groups };
}
