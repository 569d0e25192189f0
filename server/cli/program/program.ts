// svcctl as a whole: global options, the commands, and how errors and exit codes leave it.
import { Command, CommanderError, InvalidArgumentError, Option, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { COMMANDS } from './command-list.ts';
import type { Run } from './command-setup.ts';
import { EXAMPLES } from './examples.ts';
import { instead } from './instead.ts';
import { CliError, EXIT, EXIT_CODES_HELP, usageError } from './exit-codes.ts';
import { installedVersion } from '../../installation.ts';
import { helpExamples } from '../../help-examples.ts';
import { withSuggestions } from '../../suggesting-command.ts';
import { Invocation, OUTPUT_FORMATS, outputProblem } from './invocation.ts';
import { createStyle } from '../output/style.ts';
import { hintText } from './program-name.ts';
import { TEXT_COMMANDS } from './text-commands.ts';
import { usesColor, withScreens, type RawTerminal, type Terminal } from './terminal.ts';

const parseOutput = (value: string): string => {
  const problem = outputProblem(value);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return value;
};

function globalOptions(program: Command) {
  return program
    .option('--server <url>', 'the server (SVCCTL_SERVER; default http://127.0.0.1:8080)')
    .option('-n, --namespace <name>', 'the namespace (SVCCTL_NAMESPACE; default "default")')
    .option('-A, --all-namespaces', 'every namespace')
    .option('--token <token>', 'API token; prefer SVCCTL_API_TOKEN or SVC_API_TOKEN, arguments show in process listings')
    .option('--profile <name>', 'profile to use (SVCCTL_PROFILE; see "svcctl config")')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(OUTPUT_FORMATS).argParser(parseOutput))
    .option('--no-color', 'no colours (as NO_COLOR)');
}

function addExamples(command: Command, program: string, path: string): void {
  const examples = (EXAMPLES[path] ?? []).map((example) => `${program} ${example}`);
  if (examples.length > 0) command.addHelpText('after', helpExamples(examples));
}

/** Examples at the end of the help of a command and of each command under it. */
function addAllExamples(command: Command, program: string, path: string): void {
  addExamples(command, program, path);
  for (const sub of command.commands) addAllExamples(sub as Command, program, `${path} ${sub.name()}`);
}

/** `-o=json` of these options as `-o json`: commander would take the value to be `=json`. */
function splitShortOptions(args: readonly string[], options: CommandUnknownOpts['options']): string[] {
  const taking = options.filter((option) => option.required);
  let isLiteral = false;
  let isValue = false;
  return args.flatMap((word) => {
    isLiteral ||= word === '--' && !isValue;
    if (isLiteral || isValue) {
      isValue = false;
      return word;
    }
    isValue = taking.some(({ short, long }) => word === short || word === long);
    return /^-[A-Za-z]=/.test(word) && taking.some(({ short }) => word.slice(0, 2) === short) ? [word.slice(0, 2), word.slice(3)] : word;
  });
}

/** The command and each below it read a short option with `=`, as kubectl does. */
function allowEquals(command: CommandUnknownOpts): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => parse(splitShortOptions(args, command.options));
  command.commands.forEach(allowEquals);
}

/** Names of the command and those above it, without the program's. */
export function pathOf(command: CommandUnknownOpts): string {
  const names: string[] = [];
  for (let each: CommandUnknownOpts | null = command; each?.parent; each = each.parent) names.unshift(each.name());
  return names.join(' ');
}

function refuseFormat(command: CommandUnknownOpts, format: string | undefined): void {
  if (format === undefined || format === 'table' || !TEXT_COMMANDS.has(pathOf(command))) return;
  throw usageError(`this command cannot print "${format}"`, 'leave -o out');
}

type Action = Parameters<Run>[0];

/** The program with every command declared; `onExit` receives the result of the action, which `execute` runs. */
export function buildProgram(
  terminal: Terminal,
  onExit: (code: number) => void,
  execute = (action: Action, invocation: Invocation) => action(invocation),
): Command {
  const program: Command = withSuggestions(new Command(terminal.program), instead);
  const configured = globalOptions(program)
    .description('Command line of the Agent Orchestration Service.')
    .version(installedVersion(), '--version', 'print the version')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => terminal.stdout.columns ?? 100,
      getErrHelpWidth: () => terminal.stderr.columns ?? 100,
    })
    .showHelpAfterError('hint: see the usage with --help')
    .exitOverride()
    .helpCommand(false)
    .addHelpText('after', `\n${EXIT_CODES_HELP}`);
  addExamples(program, terminal.program, '');
  allowEquals(program);
  let headers = true;
  const run: Run = async (action) => {
    const invocation = new Invocation(terminal, { ...configured.opts(), headers });
    try {
      onExit((await execute(action, invocation)) ?? EXIT.ok);
    } finally {
      await invocation.close();
    }
  };
  for (const entry of COMMANDS)
    program
      .command(entry.name, { hidden: entry.hidden ?? false })
      .summary(entry.summary)
      .description(entry.summary)
      .helpGroup(entry.group);
  program.hook('preSubcommand', async (_program, command) => {
    const entry = COMMANDS.find((each) => each.name === command.name());
    (await entry?.load())?.(command as Command, run);
    addAllExamples(command as Command, terminal.program, command.name());
    allowEquals(command);
  });
  program.hook('preAction', (_program, command) => {
    refuseFormat(command, configured.opts().output);
    headers = command.getOptionValue('headers') !== false;
  });
  return program;
}

/** `help get` is `get --help`; a command that does not exist is left to be refused by its name. */
function withHelpCommand(argv: readonly string[]): string[] {
  const [first, ...words] = argv;
  if (first !== 'help') return [...argv];
  const known = words[0] === undefined || COMMANDS.some((entry) => entry.name === words[0]);
  return known ? [...words, '--help'] : words.slice(0, 1);
}

function report(error: unknown, terminal: Terminal, color: boolean): number {
  const style = createStyle(usesColor(terminal.stderr, terminal.env, color));
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const message = error instanceof Error ? error.message : String(error);
  terminal.stderr.write(`${style.bad('error:')} ${message}\n`);
  if (error instanceof CliError) {
    if (error.hint) terminal.stderr.write(`${style.accent('hint:')} ${hintText(error.hint, terminal.program)}\n`);
    return error.exitCode;
  }
  return EXIT.failed;
}

/** Runs one command line (without the program's name) and answers with its exit code. Never throws. */
export async function runCli(argv: readonly string[], raw: RawTerminal): Promise<number> {
  const terminal = withScreens(raw);
  let exitCode: number = EXIT.ok;
  try {
    const program = buildProgram(terminal, (code) => {
      exitCode = code;
    });
    if (argv.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    await program.parseAsync(withHelpCommand(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    return report(error, terminal, !argv.includes('--no-color'));
  }
}
