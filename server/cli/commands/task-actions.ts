// `svcctl cancel` and `svcctl retry`.
import { defined } from '@svc/shared/json';
import { kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { statusOf } from '@svc/shared/kinds/read';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { collect, wholeNumber, type CommandSetup } from '../program/command-setup.ts';
import { inputFromPairs } from '../arguments/input-pairs.ts';
import type { Invocation } from '../program/invocation.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { postAction } from '../api/resource-api.ts';
import { taskNameFromWord } from '../arguments/named-argument.ts';
import { followToEnd } from '../api/task-runs.ts';

export const setupCancel: CommandSetup = (command, run) => {
  command
    .argument('<task...>', 'names of the tasks')
    .option('--reason <text>', 'why, for the record')
    .action((words, options) => run((invocation) => cancel(invocation, words, options.reason)));
};

const parseGeneration = wholeNumber(/^\d{1,9}$/, ' of at least 0');

export const setupRetry: CommandSetup = (command, run) => {
  command
    .argument('<task>', 'name of an ended task')
    .option('-i, --input <key=value>', 'replace the input; may be repeated', collect)
    .option('--to-namespace <namespace>', 'start the new run in this namespace')
    .option('--system-generation <number>', 'run this version of the system as a trial; 0 for the current one', parseGeneration)
    .option('--follow', 'follow the new run as "svcctl run" does')
    .action((word, options) => run((invocation) => retry(invocation, word, options)));
};

const taskKind = (): KindDefinition => kindByName('Task') as KindDefinition;

async function cancel(invocation: Invocation, words: readonly string[], reason: string | undefined): Promise<void> {
  const { client, namespace } = await invocation.connect();
  for (const name of words.map(taskNameFromWord)) {
    const body = reason === undefined ? {} : { reason };
    const { phase } = statusOf('Task', await postAction(client, { kind: taskKind(), namespace, name }, { name: 'cancel', body }));
    const isOver = (TASK_TERMINAL_PHASES as readonly string[]).includes(phase);
    invocation.out(isOver ? `task/${name} cancelled` : `task/${name} cancel requested; it is still ${phase}`);
  }
}

interface RetryOptions {
  readonly input?: readonly string[] | undefined;
  readonly toNamespace?: string | undefined;
  readonly systemGeneration?: number | undefined;
  readonly follow?: boolean | undefined;
}

async function retry(invocation: Invocation, word: string, options: RetryOptions): Promise<number> {
  invocation.format(RECORD_FORMATS);
  const { client, namespace } = await invocation.connect();
  const name = taskNameFromWord(word);
  const body = defined({
    input: options.input && inputFromPairs(options.input),
    to_namespace: options.toNamespace,
    system_generation: options.systemGeneration,
  });
  const created = await postAction(client, { kind: taskKind(), namespace, name }, { name: 'retry', body });
  const { metadata } = created;
  if (options.follow) return followToEnd(invocation, { namespace: metadata.namespace, name: metadata.name }, {});
  const task = `task/${metadata.name}`;
  const where = metadata.namespace === namespace ? '' : ` in ${metadata.namespace}`;
  printRecord(invocation, created, { name: task, table: () => invocation.out(`${task} created${where}`) });
  return 0;
}
