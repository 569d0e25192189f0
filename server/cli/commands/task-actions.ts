// `svcctl cancel` and `svcctl retry`.
import { kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { collect, type CommandSetup } from '../command-setup.ts';
import { inputFromPairs } from '../input-pairs.ts';
import type { Invocation } from '../invocation.ts';
import { postAction } from '../resource-api.ts';
import { taskNameFromWord } from '../named-argument.ts';
import { followToEnd } from '../task-runs.ts';

export const setupCancel: CommandSetup = (command, run) => {
  command
    .argument('<task...>', 'names of the tasks')
    .option('--reason <text>', 'why, for the record')
    .action((words, options) => run((invocation) => cancel(invocation, words, options.reason)));
};

export const setupRetry: CommandSetup = (command, run) => {
  command
    .argument('<task>', 'name of an ended task')
    .option('-i, --input <key=value>', 'replace the input; may be repeated', collect)
    .option('--follow', 'follow the new run as "svcctl run" does')
    .action((word, options) => run((invocation) => retry(invocation, word, options)));
};

const taskKind = (): KindDefinition => kindByName('Task') as KindDefinition;

async function cancel(invocation: Invocation, words: readonly string[], reason: string | undefined): Promise<void> {
  const { client, namespace } = await invocation.connect();
  for (const name of words.map(taskNameFromWord)) {
    await postAction(client, { kind: taskKind(), namespace, name }, { name: 'cancel', body: reason === undefined ? {} : { reason } });
    invocation.out(`task/${name} cancelled`);
  }
}

async function retry(
  invocation: Invocation,
  word: string,
  options: { input?: readonly string[] | undefined; follow?: boolean | undefined },
): Promise<number> {
  const { client, namespace } = await invocation.connect();
  const name = taskNameFromWord(word);
  const created = await postAction(
    client,
    { kind: taskKind(), namespace, name },
    { name: 'retry', body: options.input ? { input: inputFromPairs(options.input) } : {} },
  );
  if (options.follow) return followToEnd(invocation, { namespace, name: created.metadata.name }, {});
  invocation.out(`task/${created.metadata.name} created`);
  return 0;
}
