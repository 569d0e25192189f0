// One command line of svcd with its variables: options, or the text and exit code of a refusal or a help page.
import { Command, CommanderError, InvalidArgumentError, type Option } from 'commander';
import { didYouMean } from '@svc/shared/nearest-word';
import { installedVersion } from '../installation.ts';
import { helpExamples } from '../help-examples.ts';
import { withSuggestions } from '../suggesting-command.ts';
import { SVCD_EXAMPLES } from './examples.ts';
import { variableOf } from './flag-table.ts';
import { isDatabaseUrl, withoutCredentials } from './flag-values.ts';

export const WORKER_COMMAND = 'worker';
export const DOCTOR_COMMAND = 'doctor';
/** Words before the flags; without one svcd serves. */
export const COMMANDS = [WORKER_COMMAND, 'migrate', 'rotate-secrets', 'seal-key', 'reset-admin', DOCTOR_COMMAND] as const;

export interface CommandLine {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Text to print, and the exit code. */
export interface Refusal {
  readonly code: number;
  readonly text: string;
}

/** Flags by which other servers take their address. */
const ADDRESS_FLAGS: ReadonlySet<string> = new Set(['-p', '--port', '--host', '--bind', '--listen', '--address', '--http']);

const flagInstead = (flag: string): string | undefined =>
  ADDRESS_FLAGS.has(flag) ? '; the address is --addr HOST:PORT, such as --addr 127.0.0.1:9090' : undefined;

export const newCommand = (name: string, description: string): Command =>
  withSuggestions(new Command(name), undefined, flagInstead)
    .description(description)
    .version(installedVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .allowExcessArguments()
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', ({ command }) => helpExamples(SVCD_EXAMPLES[command.name()] ?? []));

/** `judge` answers with what is wrong with options that are each right by themselves. */
export function parseCommand<T>(
  command: Command,
  { argv, env }: CommandLine,
  judge: (options: T) => string | undefined,
): Refusal | { readonly options: T; readonly warnings: string[] } {
  let text = '';
  command.configureOutput({ writeOut: (s) => (text += s), writeErr: (s) => (text += s) });
  try {
    // Commander would read the environment of the process, and take an empty variable for a value.
    Object.assign(command, { _parseOptionsEnv: () => undefined }).parse(argv, { from: 'user' });
    takeVariables(command, env);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { code: 0, text } : { code: 2, text: withoutCredentials(text) };
  }
  const [stray] = command.args;
  if (stray !== undefined) return refusal(withoutCredentials(strayArgument(command.name(), stray)));
  const options = command.opts<T & Record<string, unknown>>();
  const problem = judge(options);
  if (problem !== undefined) return refusal(withVariables(problem, command, env));
  return { options, warnings: ineffective(command) };
}

/** Variable of this option in `env`; undefined for an option without a value, such as --version. Empty variables count as unset. SVC_API_TOKEN wins over SVC_API_KEY. */
function variableIn(env: CommandLine['env'], option: Option): string | undefined {
  if (!option.required && !option.optional) return undefined;
  return [option.envVar ?? '', variableOf(option.name())].find((variable) => env[variable]);
}

/** Only for options without a flag: a flag wins over its variable, also over an invalid one. */
function takeVariables(command: Command, env: CommandLine['env']): void {
  for (const option of command.options) {
    const variable = variableIn(env, option);
    const name = option.attributeName();
    if (variable === undefined || command.getOptionValueSource(name) === 'cli') continue;
    command.setOptionValueWithSource(name, valueOf(command, { option, variable, value: env[variable] ?? '' }), 'env');
  }
}

function valueOf(command: Command, { option, variable, value }: { option: Option; variable: string; value: string }): unknown {
  try {
    return option.parseArg ? option.parseArg(value, option.defaultValue) : value;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return command.error(`error: option '${option.flags}' value '${value}' from '${variable}' is invalid. ${error.message}`);
  }
}

/** Adds the variables that brought the values of the options that a refusal names. */
function withVariables(problem: string, command: Command, env: CommandLine['env']): string {
  const variables = command.options
    .filter((option) => problem.includes(`'${option.long}'`) && command.getOptionValueSource(option.attributeName()) === 'env')
    .flatMap((option) => variableIn(env, option) ?? []);
  return variables.length === 0 ? problem : `${problem} (set by ${variables.join(' and ')})`;
}

const refusal = (problem: string): Refusal => ({ code: 2, text: `error: ${problem}\n` });

function strayArgument(command: string, stray: string): string {
  if (command !== 'svcd') return `argument '${stray}': ${command} takes flags only`;
  if (COMMANDS.some((known) => known === stray))
    return `argument '${stray}': a command comes first, before every flag: svcd ${stray} --database-url …`;
  const near = didYouMean(stray, COMMANDS);
  if (near !== '') return `argument '${stray}' is not a command${near}`;
  const listed = `${COMMANDS.slice(0, -1).join(', ')} and ${COMMANDS.at(-1) ?? ''}`;
  return `argument '${stray}': svcd knows the commands ${listed}; without one it serves and takes flags only`;
}

/** Images and units set the variable for both databases: only the flag is a mistake. */
function ineffective(command: Command): string[] {
  const [database, audit] = ['databaseUrl', 'auditWebhook'].map((name) => Boolean(command.getOptionValue(name)));
  return command.getOptionValueSource('dataDir') === 'cli' && database && !audit
    ? ['--data-dir has no effect beside --database-url without --audit-webhook']
    : [];
}

export function databaseUrlProblem(databaseUrl: string | undefined): string | undefined {
  if (!databaseUrl || isDatabaseUrl(databaseUrl)) return undefined;
  return "option '--database-url' must be a PostgreSQL URL, postgres://user@host:5432/database; its value is not shown as it may hold a password";
}
