// Unknown flags and commands are refused with the name that was most likely meant, by the suggestions of shared.
import { didYouMean } from '@svc/shared/nearest-word';

/** The parts of a command that both typings of commander have. */
interface CommandParts {
  readonly options: readonly { readonly long?: string | undefined }[];
  readonly commands: readonly { name(): string }[];
  readonly args: readonly string[];
  readonly parent: object | null;
  name(): string;
  error(message: string, options?: { code?: string }): never;
  createCommand(name?: string): object;
  showSuggestionAfterError(shown?: boolean): unknown;
}

/** Flags of other servers: the sentence's end that names the one here. */
type FlagInstead = (flag: string) => string | undefined;

export type Instead = (word: string, known: readonly string[], parent: string | undefined) => string | undefined;

/** Long flags of the command and of those above it. */
function flagsOf(command: CommandParts | null): string[] {
  if (command === null) return ['--help'];
  return [...command.options.flatMap(({ long }) => long ?? []), ...flagsOf(command.parent as CommandParts | null)];
}

/**
 * The command, and every one made under it, with suggestions. `instead` answers for a command that does not exist, given those that do, and
 * `flagInstead` for a flag, before names alike are looked for.
 */
export function withSuggestions<C extends CommandParts>(
  command: C,
  instead: Instead = () => undefined,
  flagInstead: FlagInstead = () => undefined,
): C {
  const create = command.createCommand.bind(command);
  command.showSuggestionAfterError(false);
  const unknownOption = (flag: string): never => {
    const name = flag.replace(/=.*/s, '');
    const known = flagsOf(command);
    if (name !== flag && known.includes(name))
      return command.error(`error: option '${name}' takes no value`, { code: 'commander.unknownOption' });
    const hint = flagInstead(name) ?? (flag.startsWith('--') ? didYouMean(name, known) : '');
    return command.error(`error: unknown option '${flag}'${hint}`, { code: 'commander.unknownOption' });
  };
  return Object.assign(command, {
    createCommand: (name?: string) => withSuggestions(create(name) as CommandParts, instead, flagInstead),
    unknownOption,
    // Checked before unknown flags are, of which one may be this option with a typo.
    missingMandatoryOptionValue: ({ flags }: { readonly flags: string }) => {
      const unknown = command.args.find((word) => /^--?[^-]/.test(word));
      if (unknown !== undefined) unknownOption(unknown);
      command.error(`error: required option '${flags}' not specified`, { code: 'commander.missingMandatoryOptionValue' });
    },
    unknownCommand: () => {
      const [word = ''] = command.args;
      const known = command.commands.map((each) => each.name()).filter((name) => !name.startsWith('__'));
      const hint = instead(word, known, command.parent === null ? undefined : command.name()) ?? didYouMean(word, known);
      command.error(`error: unknown command '${word}'${hint}`, { code: 'commander.unknownCommand' });
    },
  });
}
