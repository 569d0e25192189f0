// `svcctl completion`: a small script per shell that asks svcctl itself for candidates.
import { Command } from '@commander-js/extra-typings';
import type { CommandEntry, CommandSetup } from '../program/command-setup.ts';
import { completions, typedGlobals, type Flag } from '../completion/candidates.ts';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts';
import { usageError } from '../program/exit-codes.ts';
import { Invocation } from '../program/invocation.ts';
import { timeLimit } from '../../clock.ts';

/** Names come from the server; a slow one must not hold up the prompt. */
const PATIENCE_MS = 700;

export const setupCompletion: CommandSetup = (command, run) => {
  command
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      '\nbash:  source <(svcctl completion bash)\nzsh:   source <(svcctl completion zsh)\nfish:  svcctl completion fish | source\n\nIt completes the word svcctl. In a checkout, enter this first:\n       alias svcctl="npx svcctl"',
    )
    .action((shell) =>
      run(async (invocation) => {
        if (!(SHELLS as readonly string[]).includes(shell))
          throw usageError(`there is no completion for "${shell}"`, `there is for ${SHELLS.join(', ')}`);
        invocation.out(SCRIPTS[shell as Shell]);
      }),
    );
};

export const setupComplete =
  (commands: readonly CommandEntry[]): CommandSetup =>
  (command, run) => {
    command
      .argument('[words...]')
      .allowUnknownOption()
      .action((words) => run((invocation) => complete(invocation, words, commands)));
  };

/** The command as it declares itself. */
async function declared(entry: CommandEntry): Promise<Command> {
  const command = new Command(entry.name);
  (await entry.load())(command, async () => undefined);
  return command;
}

const subcommandsOf = async (entry: CommandEntry): Promise<string[]> => (await declared(entry)).commands.map((each) => each.name());

/** The flags of a command, or of the subcommand that the words name. */
async function flagsOf(entry: CommandEntry, words: readonly string[]): Promise<Flag[]> {
  const probe = await declared(entry);
  const [named = probe] = words.flatMap((word) => probe.commands.filter((each) => each.name() === word));
  return named.options.flatMap(({ long, short, required, optional, argChoices }) =>
    long ? [{ name: long, short, takesValue: required || optional, choices: argChoices ?? [] }] : [],
  );
}

/** Prints candidates; whatever goes wrong, the prompt sees no error. */
async function complete(invocation: Invocation, words: readonly string[], commands: readonly CommandEntry[]): Promise<void> {
  const signal = timeLimit(PATIENCE_MS);
  const typed = new Invocation(invocation.terminal, { ...invocation.options, ...typedGlobals(words) });
  const fetchBody = async (path: string, query: Record<string, string | number>): Promise<unknown> => {
    const { client, namespace } = await typed.connect();
    return (await client.send<unknown>({ method: 'GET', path, query: path === '/v1/namespaces' ? query : { namespace, ...query }, signal }))
      .body;
  };
  try {
    invocation.out(...(await completions(words, { commands, flagsOf, subcommandsOf, fetchBody, env: invocation.terminal.env })));
  } catch {
    return;
  } finally {
    await typed.close();
  }
}
