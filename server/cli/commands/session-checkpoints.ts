// `svcctl sessions checkpoints`, `replay`, `diff`, `rewind` and `fork`: list, compare, rewind to and fork at safe points of a conversation.
import type { Command } from '@commander-js/extra-typings';
import type { Checkpoint, CheckpointDiff, CheckpointReplay, SessionEvent } from '@svc/shared/api/sessions';
import { collect, type Run } from '../program/command-setup.ts';
import { comparison, EXIT, usageError } from '../program/exit-codes.ts';
import { generatedName } from '../arguments/generated-name.ts';
import { inputFromPairs } from '../arguments/input-pairs.ts';
import type { Invocation } from '../program/invocation.ts';
import { sessionFromWord } from '../arguments/named-argument.ts';
import { checkpointDiffLines, isEqualDiff } from '../output/checkpoint-diff-view.ts';
import { listPrinter } from '../output/list-printer.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { cellText, resourceName } from '../output/resources.ts';
import { fieldLines } from '../output/table.ts';
import { oneLine } from '../output/text-width.ts';
import { age } from '../output/time.ts';
import {
  checkpointId,
  checkpointNumber,
  sendAboutCheckpoint,
  forkSession,
  listCheckpoints,
  rewindSession,
  type SessionHandle,
} from '../api/session-api.ts';

const SESSION_HELP = 'name of the session';
const HASH_MAX = 2_000;
const CHECKPOINT_HELP = 'id or number of a checkpoint, or "latest"';

export function setupCheckpoints(command: Command, run: Run): void {
  command
    .command('checkpoints')
    .description('list the checkpoints of a session, newest first, or show one')
    .argument('<session>', SESSION_HELP)
    .argument('[id]', CHECKPOINT_HELP)
    .option('--no-headers', 'print the table without its titles')
    .action((word, checkpoint) => run((invocation) => checkpoints(invocation, word, checkpoint)));
  command
    .command('replay')
    .description('check the recorded state of a checkpoint and print the events up to it')
    .argument('<session>', SESSION_HELP)
    .argument('<id>', CHECKPOINT_HELP)
    .addHelpText('after', '\nNo model or tool is called. Exit code 1: the state has another hash.')
    .action((word, checkpoint) => run((invocation) => replay(invocation, word, checkpoint)));
  command
    .command('diff')
    .description('compare two checkpoints, of a session or of it and a fork')
    .argument('<session>', SESSION_HELP)
    .argument('<id>', CHECKPOINT_HELP)
    .argument('<with>', 'checkpoint to compare it with: id, number or "latest"')
    .option('--session <name>', 'session of the second checkpoint, as name or namespace/name')
    .addHelpText('after', '\nNo model or tool is called.\nExit code 0: no differences; 1: there are some; 2 or more: it failed.')
    .action((...[word, checkpoint, against, { session }]) =>
      run((invocation) => comparison(diff(invocation, { word, checkpoint, against, session }))),
    );
  command
    .command('rewind')
    .description('undo everything after a checkpoint; the session is paused there')
    .argument('<session>', SESSION_HELP)
    .argument('<id>', CHECKPOINT_HELP)
    .option('--resume', 'continue at once')
    .action((word, checkpoint, options) => run((invocation) => rewind(invocation, { word, checkpoint, resume: options.resume === true })));
  command
    .command('fork')
    .description('create a paused session that begins at a checkpoint of this one')
    .argument('<session>', SESSION_HELP)
    .argument('[id]', CHECKPOINT_HELP, 'latest')
    .option('--name <name>', 'name of the new session (default: made from the old one)')
    .option('--to-namespace <name>', 'namespace of the new session, when it differs')
    .option('--model <endpoint>', 'model endpoint of every agent')
    .option('--agent-model <agent=endpoint>', 'model endpoint of one agent; may be repeated', collect)
    .option('--prompt <text>', 'prompt of every agent')
    .option('--agent-prompt <agent=text>', 'prompt of one agent; may be repeated', collect)
    .option('--resume', 'continue at once')
    .action((word, checkpoint, options) => run((invocation) => fork(invocation, { word, checkpoint }, options)));
}

async function checkpoints(invocation: Invocation, word: string, checkpoint: string | undefined): Promise<void> {
  const session = await sessionFromWord(invocation, word);
  if (checkpoint !== undefined) {
    invocation.format(RECORD_FORMATS);
    return showCheckpoint(invocation, session, await checkpointId(session, checkpoint));
  }
  const print = listPrinter<Checkpoint>(invocation, {
    columns: [
      { title: 'CHECKPOINT', cell: ({ id }) => id },
      { title: 'NUMBER', cell: ({ id }) => checkpointNumber(id) },
      { title: 'SAFE POINT', cell: (each) => each.safe_point },
      { title: 'AGENT', cell: (each) => cellText(each.agent) },
      { title: 'AGE', cell: (each) => age(each.created_at, Date.now()) },
      { title: 'EVENT', cell: (each) => String(each.event_sequence), wide: true },
      { title: 'BYTES', cell: (each) => String(each.state_bytes), wide: true },
      { title: 'TURN', cell: (each) => each.turn_id, wide: true },
    ],
    drop: ['AGENT', 'AGE'],
    empty: 'No checkpoints.',
  });
  print(await listCheckpoints(session));
}

async function showCheckpoint(invocation: Invocation, session: SessionHandle, id: string): Promise<void> {
  const body = await sendAboutCheckpoint<Checkpoint>(session, { method: 'GET', id });
  const table = () =>
    invocation.out(
      ...fieldLines([
        ['Checkpoint', body.id],
        ['Safe point', body.safe_point],
        ['Agent', cellText(body.agent)],
        ['Turn', body.turn_id],
        ['Task', cellText(body.task_name)],
        ['Event', String(body.event_sequence)],
        ['Parent', cellText(body.parent_checkpoint_id)],
        ['State', `${body.state_bytes} bytes, version ${body.state_version}`],
        ['SHA-256', body.state_hash],
        ['Created', `${body.created_at} (${age(body.created_at, Date.now())} ago)`],
        ['Expires', body.expires_at],
      ]),
    );
  printRecord(invocation, body, { name: body.id, table });
}

async function replay(invocation: Invocation, word: string, checkpoint: string): Promise<number> {
  invocation.format(RECORD_FORMATS);
  const session = await sessionFromWord(invocation, word);
  const id = await checkpointId(session, checkpoint);
  const events: SessionEvent[] = [];
  let page: CheckpointReplay;
  let after: string | undefined;
  do {
    page = await sendAboutCheckpoint<CheckpointReplay>(session, { method: 'GET', id, below: 'replay', query: { after } });
    events.push(...page.events);
    after = page.continue;
  } while (after !== undefined);
  const table = () => {
    invocation.table(
      ['SEQ', 'TYPE', 'PAYLOAD'],
      events.map(({ seq, type, payload }) => [String(seq), type, cellText(payload)]),
      { drop: [] },
    );
    const { errorStyle: style, terminal } = invocation;
    const mark = page.verified ? style.good('✓') : style.bad('✗');
    const said = page.verified ? 'The recorded state has its hash; no model or tool was called.' : 'The recorded state has another hash.';
    invocation.note(`${mark} ${said}`, `  ${oneLine(page.state_hash, (terminal.stderr.columns ?? HASH_MAX) - 2)}`);
  };
  printRecord(invocation, { ...page, events }, { name: id, table });
  return page.verified ? 0 : 1;
}

async function diff(
  invocation: Invocation,
  { word, checkpoint, against, session: otherWord }: { word: string; checkpoint: string; against: string; session: string | undefined },
): Promise<number> {
  invocation.format(RECORD_FORMATS);
  const session = await sessionFromWord(invocation, word);
  const other = otherWord === undefined ? session : await sessionFromWord(invocation, otherWord, true);
  const [left, right] = [await checkpointId(session, checkpoint), await checkpointId(other, against)];
  const query = { against: right, session: `${other.namespace}/${other.name}` };
  const body = await sendAboutCheckpoint<CheckpointDiff>(session, { method: 'GET', id: left, below: 'diff', query });
  const { style, terminal } = invocation;
  const table = () => invocation.out(...checkpointDiffLines(body, { style, columns: terminal.stdout.columns }));
  printRecord(invocation, body, { name: left, table });
  return isEqualDiff(body) ? EXIT.ok : EXIT.failed;
}

async function rewind(
  invocation: Invocation,
  { word, checkpoint, resume }: { word: string; checkpoint: string; resume: boolean },
): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const session = await sessionFromWord(invocation, word);
  const body = await rewindSession(session, await checkpointId(session, checkpoint), resume);
  const name = resourceName(body.session);
  const state = body.resumed ? 'and resumed' : 'and paused';
  printRecord(invocation, body, { name, table: () => invocation.out(`${name} rewound to ${body.checkpoint_id} ${state}`) });
}

interface ForkOptions {
  readonly name?: string | undefined;
  readonly toNamespace?: string | undefined;
  readonly model?: string | undefined;
  readonly agentModel?: readonly string[] | undefined;
  readonly prompt?: string | undefined;
  readonly agentPrompt?: readonly string[] | undefined;
  readonly resume?: boolean | undefined;
}

/** One value for every agent, or values by agent; undefined without any. */
function override(
  field: string,
  all: string | undefined,
  byAgent: readonly string[] | undefined,
): string | Record<string, string> | undefined {
  if (all !== undefined && byAgent !== undefined)
    throw usageError(`--${field} and --agent-${field} cannot be combined`, `name each agent with --agent-${field}`);
  if (all?.trim() === '') throw usageError(`--${field} is empty`);
  const values = byAgent && inputFromPairs(byAgent, `--agent-${field}`, 'AGENT=VALUE');
  const [empty] = Object.entries(values ?? {}).find(([, value]) => value.trim() === '') ?? [];
  if (empty !== undefined) throw usageError(`--agent-${field} ${empty}= is empty`);
  return all ?? values;
}

async function fork(
  invocation: Invocation,
  { word, checkpoint }: { word: string; checkpoint: string },
  options: ForkOptions,
): Promise<void> {
  invocation.format(RECORD_FORMATS);
  const overrides = {
    model: override('model', options.model, options.agentModel),
    prompt: override('prompt', options.prompt, options.agentPrompt),
  };
  const session = await sessionFromWord(invocation, word);
  const body = await forkSession(session, await checkpointId(session, checkpoint), {
    name: options.name ?? generatedName(session.name),
    namespace: options.toNamespace,
    resume: options.resume,
    overrides,
  });
  const name = resourceName(body.session);
  printRecord(invocation, body, {
    name,
    table: () => invocation.out(`${name} created from session/${session.name}, ${body.resumed ? 'resumed' : 'paused'}`),
  });
}
