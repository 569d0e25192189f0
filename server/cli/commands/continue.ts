// `svcctl continue`: lets a trial that waits at a breakpoint continue, with another message or output, or ends it.
import { kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { taskNameFromWord } from '../arguments/named-argument.ts';
import { postAction } from '../api/resource-api.ts';
import { textGiven } from '../program/terminal.ts';

interface ContinueOptions {
  readonly at?: string | undefined;
  readonly editInput?: string | undefined;
  readonly editOutput?: string | undefined;
  readonly end?: boolean | undefined;
  readonly reason?: string | undefined;
}

export const setupContinue: CommandSetup = (command, run) => {
  command
    .argument('<task>', 'name of a task that waits at a breakpoint')
    .option('--at <agent>', 'the agent or turn id; needed where several turns wait')
    .option('--edit-input <text>', 'the message to use instead, before an agent; @file reads a file, - standard input')
    .option('--edit-output <text>', 'the output to use instead, after an agent; @file reads a file, - standard input')
    .option('--end', 'end the run as cancelled')
    .option('--reason <text>', 'with --end: why, for the record')
    .action((word, options) => run((invocation) => continueRun(invocation, word, options)));
};

async function continueRun(invocation: Invocation, word: string, options: ContinueOptions): Promise<void> {
  const { at, editInput, editOutput, end, reason } = options;
  const given = [editInput !== undefined && '--edit-input', editOutput !== undefined && '--edit-output', end && '--end'].filter(
    (flag) => flag,
  );
  if (given.length > 1) throw usageError(`${given.join(' and ')} cannot be combined`, 'choose one of them');
  if (reason !== undefined && !end) throw usageError('--reason goes with --end only');
  const body = {
    ...(at !== undefined && { at }),
    ...(editInput !== undefined && { input: await textGiven(invocation.terminal, editInput) }),
    ...(editOutput !== undefined && { output: await textGiven(invocation.terminal, editOutput) }),
    ...(end && { end }),
    ...(reason !== undefined && { reason }),
  };
  const { client, namespace } = await invocation.connect();
  const name = taskNameFromWord(word);
  await postAction(client, { kind: kindByName('Task') as KindDefinition, namespace, name }, { name: 'continue', body });
  invocation.out(`task/${name} ${end ? 'ended' : 'continued'}`);
}
