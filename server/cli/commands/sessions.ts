// `svcctl sessions`: turns, events and control of conversations; checkpoints are in session-checkpoints.ts.
import { randomUUID } from 'node:crypto';
import type { SessionControl, SessionEvent, Turn } from '@svc/shared/api/sessions';
import type { Command } from '@commander-js/extra-typings';
import { createPipeSink, createTerminalSink } from '../chat/sinks.ts';
import { sendAndFollow } from '../chat/send-turn.ts';
import { wholeNumber, type CommandSetup, type Run } from '../program/command-setup.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { sessionFromWord } from '../arguments/named-argument.ts';
import { yamlText } from '../output/data-text.ts';
import { listPrinter } from '../output/list-printer.ts';
import { cellText, resourceName, resourceYaml } from '../output/resources.ts';
import { age } from '../output/time.ts';
import {
  activeTurn,
  controlSession,
  getSession,
  interruptTurn,
  lastEventOf,
  newestTurns,
  readPages,
  submitTurn,
} from '../api/session-api.ts';
import { readAll } from '../program/terminal.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';
import { watchSession } from '../api/watch-objects.ts';
import { parseLimit } from './get.ts';
import { setupCheckpoints } from './session-checkpoints.ts';

const SESSION_HELP = 'name of the session';

const parseSequence = wholeNumber(/^\d{1,15}$/, ' of at least 0');

const CONTROLS: Readonly<Record<SessionControl, { readonly description: string; readonly done: string }>> = {
  pause: { description: 'stop the turn at its last safe point; new turns are queued', done: 'paused' },
  resume: { description: 'continue a paused or failed session', done: 'resumed' },
  cancel: { description: 'end the session permanently, with the turns that have not ended', done: 'cancelled' },
  complete: { description: 'end the session permanently as Completed', done: 'completed' },
};

export const setupSessions: CommandSetup = (command, run) => {
  setupTurns(command, run);
  for (const [control, { description }] of Object.entries(CONTROLS))
    command
      .command(control)
      .description(description)
      .argument('<session>', SESSION_HELP)
      .option('--reason <text>', 'why, for the record')
      .action((word, { reason }) => run((invocation) => changeSession(invocation, word, { control: control as SessionControl, reason })));
  command
    .command('interrupt')
    .description('cancel the turn that runs; the next one that waits begins')
    .argument('<session>', SESSION_HELP)
    .option('--reason <text>', 'why, for the record', 'interrupted with svcctl')
    .action((word, { reason }) => run((invocation) => interrupt(invocation, word, reason)));
  setupCheckpoints(command, run);
};

function setupTurns(command: Command, run: Run): void {
  command
    .command('turns')
    .description('list the turns of a session, oldest first')
    .argument('<session>', SESSION_HELP)
    .option('--limit <count>', 'only the newest ones', parseLimit)
    .option('--no-headers', 'print the table without its titles')
    .action((word, { limit }) => run((invocation) => turns(invocation, word, limit)));
  command
    .command('send')
    .description('send one message, a turn')
    .argument('<session>', SESSION_HELP)
    .argument('[message]', 'the message; without it, or with "-", standard input')
    .option('--wait', 'follow the turn and print its answer')
    .option('--interrupt', 'cancel the turn that runs; this one is next')
    .option('--key <key>', 'idempotency key: repeating it sends nothing and returns the same turn')
    .option('-q, --quiet', 'with --wait: print nothing but the answer')
    .addHelpText('after', '\nExit code with --wait: 0 the turn is completed, 1 it failed or was cancelled,\n130 interrupted by Ctrl-C.')
    .action((word, message, options) => run((invocation) => send(invocation, { word, message }, options)));
  command
    .command('events')
    .description('list the events of a session, oldest first')
    .argument('<session>', SESSION_HELP)
    .option('-f, --follow', 'keep printing events until Ctrl-C')
    .option('--after <seq>', 'only events after this sequence number', parseSequence, 0)
    .option('--type <type>', 'only events of this type, such as tool.started')
    .option('--limit <count>', 'at most this many', parseLimit)
    .option('--no-headers', 'print the table without its titles')
    .action((word, options) => run((invocation) => events(invocation, word, options)));
}

async function turns(invocation: Invocation, word: string, limit: number | undefined): Promise<void> {
  const print = listPrinter<Turn>(invocation, {
    columns: [
      { title: 'TURN', cell: (turn) => String(turn.queue_sequence) },
      { title: 'STATE', cell: (turn) => invocation.style.phase(turn.phase) },
      { title: 'AGE', cell: (turn) => age(turn.created_at, Date.now()) },
      { title: 'ID', cell: (turn) => turn.id, wide: true },
      { title: 'TASK', cell: (turn) => cellText(turn.task_name), wide: true },
      { title: 'TOKENS', cell: (turn) => cellText(turn.usage?.total_tokens), wide: true },
      { title: 'MESSAGE', cell: (turn) => turn.content },
      { title: 'ANSWER', cell: (turn) => cellText(turn.output?.last_output ?? turn.last_error) },
    ],
    drop: ['AGE', 'ANSWER'],
    empty: 'No turns.',
  });
  const session = await sessionFromWord(invocation, word);
  print(limit === undefined ? await readPages<Turn>(session, 'turns', {}) : await newestTurns(session, await getSession(session), limit));
}

interface SendOptions {
  readonly wait?: boolean | undefined;
  readonly interrupt?: boolean | undefined;
  readonly key?: string | undefined;
  readonly quiet?: boolean | undefined;
}

async function send(
  invocation: Invocation,
  { word, message }: { word: string; message: string | undefined },
  options: SendOptions,
): Promise<number> {
  const format = invocation.format(['table', 'json', 'yaml', 'name']);
  const session = await sessionFromWord(invocation, word);
  const content = message === undefined || message === '-' ? await readAll(invocation.terminal.stdin) : message;
  if (content.trim() === '') throw usageError('the message is empty', 'give it as an argument or on standard input');
  const request = { content, interrupt: options.interrupt, idempotencyKey: options.key ?? randomUUID() };
  const print = (turn: Turn) => {
    if (format === 'json') invocation.out(JSON.stringify(turn, null, 2));
    else if (format === 'yaml') invocation.out(yamlText(turn));
    else invocation.out(format === 'name' ? turn.id : `turn ${turn.queue_sequence} of session/${session.name} ${turn.phase.toLowerCase()}`);
  };
  if (!options.wait) {
    print(await submitTurn(session, request));
    return 0;
  }
  const after = lastEventOf(await getSession(session));
  const plain =
    invocation.terminal.stdout.isTTY && !options.quiet ? createTerminalSink(invocation) : createPipeSink(invocation, options.quiet);
  const sink = format === 'table' ? plain : { ...createPipeSink(invocation, options.quiet), answer: () => undefined };
  const { turn, exitCode } = await sendAndFollow(invocation, session, { message: request, after, sink });
  if (format === 'table') return exitCode;
  const [ended = turn] = await readPages<Turn>(session, 'turns', { after: String(turn.queue_sequence - 1), max: 1 });
  print(ended);
  return exitCode;
}

interface EventsOptions {
  readonly follow?: boolean | undefined;
  readonly after: number;
  readonly type?: string | undefined;
  readonly limit?: number | undefined;
}

async function events(invocation: Invocation, word: string, { follow, after, type, limit }: EventsOptions): Promise<void> {
  const print = listPrinter<SessionEvent>(invocation, {
    columns: [
      { title: 'SEQ', cell: ({ seq }) => String(seq) },
      { title: 'TIME', cell: ({ timestamp }) => timestamp.slice(11, 23), wide: true },
      { title: 'TYPE', cell: (event) => event.type },
      { title: 'TURN', cell: ({ turn_id: turn }) => cellText(turn), wide: true },
      { title: 'PAYLOAD', cell: ({ payload }) => cellText(payload) },
    ],
    drop: [],
    empty: 'No events.',
    live: follow,
  });
  const session = await sessionFromWord(invocation, word);
  const matching = (items: readonly SessionEvent[]) => (type === undefined ? items : items.filter((event) => event.type === type));
  const all = follow ? [] : await readPages<SessionEvent>(session, 'events', { after: String(after), max: type ? undefined : limit });
  if (!follow) return print(matching(all).slice(0, limit));
  await getSession(session);
  let left = limit ?? Number.POSITIVE_INFINITY;
  await untilInterrupted(invocation.terminal, async (signal) => {
    const onLost = (error: Error) => invocation.warn(`${error.message}; reconnecting`);
    for await (const event of watchSession(session, { after, signal, onLost })) {
      if (matching([event]).length === 0) continue;
      print([event]);
      left -= 1;
      if (left === 0) return;
    }
  });
}

async function changeSession(
  invocation: Invocation,
  word: string,
  { control, reason }: { control: SessionControl; reason: string | undefined },
): Promise<void> {
  const format = invocation.format(['table', 'json', 'yaml', 'name']);
  const changed = await controlSession(await sessionFromWord(invocation, word), control, reason);
  if (format === 'json') return invocation.out(JSON.stringify(changed, null, 2));
  if (format === 'yaml') return invocation.out(resourceYaml(changed));
  invocation.out(`${resourceName(changed)}${format === 'name' ? '' : ` ${CONTROLS[control].done}`}`);
}

async function interrupt(invocation: Invocation, word: string, reason: string): Promise<void> {
  const session = await sessionFromWord(invocation, word);
  const turn = await activeTurn(session);
  if (!turn) throw new CliError(`no turn of session/${session.name} is running`);
  await interruptTurn(session, turn, reason);
  invocation.out(`turn ${turn.queue_sequence} of session/${session.name} interrupted`);
}
