// `svcctl messages`: what a task's agents handed each other.
import type { MessageEntry } from '@svc/shared/kinds/task/records';
import type { CommandSetup } from '../program/command-setup.ts';
import { taskPath } from '../api/follow-trace.ts';
import type { Invocation } from '../program/invocation.ts';
import { cellText } from '../output/resources.ts';
import { taskNameFromWord } from '../arguments/named-argument.ts';

interface MessagesBody {
  readonly total: number;
  readonly lifecycle_counts: Readonly<Record<string, number>>;
  readonly messages: readonly MessageEntry[];
  readonly continue?: string;
}

interface MessagesOptions {
  readonly phase?: string | undefined;
  readonly fromAgent?: string | undefined;
  readonly toAgent?: string | undefined;
  readonly branch?: string | undefined;
}

export const setupMessages: CommandSetup = (command, run) => {
  command
    .argument('<task>', 'name of the task')
    .option('--phase <phase>', 'only messages in this phase, such as Queued or DeadLetter')
    .option('--from-agent <name>', 'only messages from this agent')
    .option('--to-agent <name>', 'only messages to this agent')
    .option('--branch <id>', 'only messages of this branch')
    .action((word, options) => run((invocation) => messages(invocation, taskNameFromWord(word), options)));
};

async function readMessages(invocation: Invocation, name: string, options: MessagesOptions): Promise<MessagesBody> {
  const { client, namespace } = await invocation.connect();
  const filter = { phase: options.phase, from_agent: options.fromAgent, to_agent: options.toAgent, branch_id: options.branch };
  const all: MessageEntry[] = [];
  let page: MessagesBody;
  let after: string | undefined;
  do {
    const path = taskPath({ namespace, name }, 'messages');
    page = (await client.send<MessagesBody>({ method: 'GET', path, query: { namespace, ...filter, after } })).body;
    all.push(...page.messages);
    after = page.continue || undefined;
  } while (after !== undefined);
  return { ...page, messages: all };
}

async function messages(invocation: Invocation, name: string, options: MessagesOptions): Promise<void> {
  const format = invocation.format(['table', 'wide', 'json']);
  const body = await readMessages(invocation, name, options);
  if (format === 'json') return invocation.out(JSON.stringify(body, null, 2));
  if (body.messages.length === 0) return invocation.note(`No messages of task ${name} match.`);
  const wide = format === 'wide';
  const header = ['TIME', 'FROM', 'TO', 'BRANCH', 'PHASE', 'ATTEMPTS', ...(wide ? ['ID'] : []), 'CONTENT'];
  const rows = body.messages.map((message) => [
    message.timestamp.slice(11, 23),
    message.from_agent || '-',
    message.to_agent || '-',
    message.branch_id || '-',
    invocation.style.phase(message.phase),
    `${message.attempts}/${message.max_attempts}`,
    ...(wide ? [message.message_id] : []),
    message.last_error ?? cellText(message.content),
  ]);
  invocation.table(header, rows, { wide, drop: ['ATTEMPTS', 'BRANCH'] });
}
