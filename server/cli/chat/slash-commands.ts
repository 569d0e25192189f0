// Commands typed into a conversation: what a person does with a Session besides talking.
import type { Turn } from '@svc/shared/api/sessions';
import { usageError } from '../program/exit-codes.ts';
import { generatedName } from '../arguments/generated-name.ts';
import { cellText } from '../output/resources.ts';
import { age } from '../output/time.ts';
import {
  checkpointId,
  checkpointNumber,
  controlSession,
  forkSession,
  getSession,
  lastEventOf,
  listCheckpoints,
  newestTurns,
  rewindSession,
  sessionStatus,
} from '../api/session-api.ts';
import type { Conversation } from './conversation.ts';

const TURNS_SHOWN = 20;

interface SlashCommand {
  readonly usage: string;
  readonly help: string;
  /** False ends the conversation. */
  readonly run: (conversation: Conversation, words: readonly string[]) => Promise<boolean | void>;
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: { usage: '/help', help: 'list the commands', run: help },
  turns: { usage: '/turns', help: 'list the last turns', run: turns },
  checkpoints: { usage: '/checkpoints', help: 'list the checkpoints, newest first', run: checkpoints },
  rewind: { usage: '/rewind <number>', help: 'go back to a checkpoint and continue there', run: rewind },
  fork: { usage: '/fork [name] [number]', help: 'continue in a new session that begins at a checkpoint (default: the newest)', run: fork },
  pause: { usage: '/pause', help: 'pause the session', run: pause },
  resume: { usage: '/resume', help: 'continue a paused or failed session', run: resume },
  quit: { usage: '/quit', help: 'leave; the session stays', run: async () => false },
};

/** False when the conversation is over. Throws CliError for a command that does not exist. */
export async function runSlashCommand(conversation: Conversation, text: string): Promise<boolean> {
  const [name = '', ...words] = text.slice(1).trim().split(/\s+/);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw usageError(`there is no command /${name}`, '/help lists them; // sends a message that begins with a slash');
  return (await command.run(conversation, words)) ?? true;
}

async function help({ invocation }: Conversation): Promise<void> {
  const commands = Object.values(COMMANDS);
  invocation.note(
    ...commands.map(({ usage, help: text }) => `  ${usage.padEnd(24)}${text}`),
    '  Ctrl-C interrupts the turn, twice leaves the chat. A line that ends with \\ continues; """ begins and ends a block.',
  );
}

async function turns({ invocation, session }: Conversation): Promise<void> {
  const list = await newestTurns(session, await getSession(session), TURNS_SHOWN);
  if (list.length === 0) return invocation.note('No turns.');
  const row = ({ queue_sequence: number, phase, content, output, last_error: error }: Turn) => [
    String(number),
    invocation.style.phase(phase),
    content,
    cellText(output?.last_output ?? error),
  ];
  invocation.table(['TURN', 'STATE', 'MESSAGE', 'ANSWER'], list.map(row), { drop: ['ANSWER'] });
}

async function checkpoints({ invocation, session }: Conversation): Promise<void> {
  const list = await listCheckpoints(session);
  if (list.length === 0) return invocation.note('No checkpoints.');
  const rows = list.map((each) => [
    checkpointNumber(each.id),
    each.safe_point,
    cellText(each.agent),
    age(each.created_at, Date.now()),
    each.id,
  ]);
  invocation.table(['NUMBER', 'SAFE POINT', 'AGENT', 'AGE', 'CHECKPOINT'], rows, { drop: ['CHECKPOINT', 'AGENT'] });
}

async function rewind(conversation: Conversation, [word]: readonly string[]): Promise<void> {
  if (word === undefined) throw usageError('to which checkpoint?', '/checkpoints lists them; write /rewind NUMBER');
  const { session, invocation } = conversation;
  const { session: rewound, checkpoint_id: id } = await rewindSession(session, await checkpointId(session, word), true);
  const { activeTurnID: active } = sessionStatus(rewound);
  if (active !== undefined) return conversation.follow(active);
  conversation.cursor = lastEventOf(rewound);
  invocation.note(`Back at ${id}.`);
}

async function fork(conversation: Conversation, [name, word = 'latest']: readonly string[]): Promise<void> {
  const { session, invocation } = conversation;
  const id = await checkpointId(session, word);
  const { session: forked } = await forkSession(session, id, { name: name ?? generatedName(session.name), resume: true });
  conversation.session = { ...session, name: forked.metadata.name };
  invocation.note(`Now in session/${forked.metadata.name}; session/${session.name} stays as it is.`);
  conversation.cursor = lastEventOf(forked);
  const { activeTurnID: active } = sessionStatus(forked);
  if (active !== undefined) await conversation.follow(active, { after: 0 });
}

async function pause({ session, invocation }: Conversation): Promise<void> {
  await controlSession(session, 'pause');
  invocation.note('Paused: new messages are queued; /resume continues.');
}

async function resume(conversation: Conversation): Promise<void> {
  const resumed = await controlSession(conversation.session, 'resume');
  const { activeTurnID: active } = sessionStatus(resumed);
  if (active !== undefined) return conversation.follow(active);
  conversation.cursor = lastEventOf(resumed);
  conversation.invocation.note('Resumed.');
}
