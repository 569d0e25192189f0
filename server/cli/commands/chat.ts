// `svcctl chat`: a conversation with an agent system, typed at a terminal or piped in.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { findKind, kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { API_VERSION, type Resource, type NamespacedName } from '@svc/shared/resource';
import { Conversation } from '../chat/conversation.ts';
import { sendAndFollow } from '../chat/send-turn.ts';
import { createPipeSink, createTerminalSink } from '../chat/sinks.ts';
import { ApiError, type ApiClient } from '../api/client.ts';
import { collect, type CommandSetup } from '../program/command-setup.ts';
import { hasEnded } from '../api/end-phases.ts';
import { CliError, EXIT, usageError } from '../program/exit-codes.ts';
import { generatedName } from '../arguments/generated-name.ts';
import { inputFromPairs } from '../arguments/input-pairs.ts';
import type { Invocation } from '../program/invocation.ts';
import { objectFromWord, type NamedObject } from '../arguments/kind-arguments.ts';
import { createObject, getObject, listObjects } from '../api/resource-api.ts';
import { getSession, lastEventOf, sessionKind, sessionStatus, type SessionHandle } from '../api/session-api.ts';
import { readAll } from '../program/terminal.ts';
import { parseLimit } from './get.ts';

interface ChatOptions {
  readonly name?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly idleTtl?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly input?: readonly string[] | undefined;
  readonly lines?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

export const setupChat: CommandSetup = (command, run) => {
  command
    .argument('<target>', 'an agent system, for a new session, as name or namespace/name; or a session to continue')
    .option('--name <name>', 'name of the new session (default: made from the system)')
    .option('--resume', 'continue the last session of the system that has not ended')
    .option('--idle-ttl <duration>', 'how long the new session lives without activity, such as 7d')
    .option('--max-turns <count>', 'maximum of turns of the new session', parseLimit)
    .option('-i, --input <key=value>', 'a value for the input of every turn of the new session; may be repeated', collect)
    .option('--lines', 'in a pipe: each line is a message (without it, all of the input is one)')
    .option('-q, --quiet', 'in a pipe: print nothing but the answers')
    .addHelpText(
      'after',
      [
        '',
        'At a terminal, Ctrl-C interrupts the turn, twice leaves; /help lists commands.',
        'In a pipe, only answers go to stdout. Exit code 0: every turn is completed,',
        '1: a turn failed or was cancelled, 130: interrupted by Ctrl-C.',
      ].join('\n'),
    )
    .action((target, options) => run((invocation) => chat(invocation, target, options)));
};

async function chat(invocation: Invocation, word: string, options: ChatOptions): Promise<number> {
  invocation.format(['table']);
  const open = await sessionFor(invocation, word, options);
  if (invocation.terminal.stdin.isTTY) return new Conversation(invocation, await open()).run();
  return (options.lines ? sendLines : sendOne)(invocation, open, options);
}

const systemKind = (): KindDefinition => kindByName('AgentSystem') as KindDefinition;

/** Finds the session, or the system of a new one, which only a call of the result creates. */
async function sessionFor(invocation: Invocation, word: string, options: ChatOptions): Promise<() => Promise<SessionHandle>> {
  const { client, namespace } = await invocation.connect();
  const { kind, name, ...target } = await findTarget({ client, namespace }, word);
  const isSession = kind === sessionKind();
  const fresh = Object.entries({ name: options.name, 'idle-ttl': options.idleTtl, 'max-turns': options.maxTurns, input: options.input });
  const [given] = fresh.find(([, value]) => value !== undefined) ?? [];
  if (given !== undefined && (isSession || options.resume)) throw usageError(`--${given} is for a new session`, 'name an agent system');
  const system = { name, namespace: target.namespace };
  if (!isSession && !options.resume) return () => createSession(invocation, system, options);
  const session = { client, namespace, name: isSession ? name : await lastSession({ client, namespace }, system) };
  return () => Promise.resolve(session);
}

interface Place {
  readonly client: ApiClient;
  readonly namespace: string;
}

interface Target extends NamedObject {
  readonly namespace: string;
}

/** `namespace/name` is an agent system: its sessions may live in another namespace. */
function farSystem(word: string): Target | undefined {
  const [namespace = '', name = '', ...rest] = word.split('/');
  return name === '' || namespace === '' || rest.length > 0 || findKind(namespace) ? undefined : { kind: systemKind(), namespace, name };
}

async function findTarget({ client, namespace }: Place, word: string): Promise<Target> {
  const far = farSystem(word);
  if (far) {
    await getObject(client, far);
    return far;
  }
  const named = word.includes('/') ? objectFromWord(word) : undefined;
  const name = named?.name ?? word;
  const find = async (kind: KindDefinition): Promise<Resource | undefined> => {
    if (named && named.kind !== kind) return undefined;
    return getObject(client, { kind, namespace, name }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
  };
  const [session, system] = await Promise.all([find(sessionKind()), find(systemKind())]);
  if (session && system)
    throw usageError(`"${name}" is both a session and an agent system`, `write session/${name} or agent-system/${name}`);
  if (session || system) return { kind: session ? sessionKind() : systemKind(), namespace, name };
  throw new CliError(`there is neither a Session nor an AgentSystem ${namespace}/${name}`, {
    exitCode: EXIT.notFound,
    hint: (svcctl) => `list them with "${svcctl} get sessions,agent-systems"`,
  });
}

/** Ways in which a Session of this namespace may name the system, the usual one first. */
function referencesTo({ namespace, name }: NamespacedName, from: string): [string, ...string[]] {
  const whole = `${namespace}/${name}`;
  return namespace === from ? [name, whole] : [whole];
}

/** Name of the newest Session of the system by activity that has not ended. */
async function lastSession({ client, namespace }: Place, system: NamespacedName): Promise<string> {
  const active = (session: Resource) => sessionStatus(session).lastActivityAt ?? session.metadata.createdAt;
  const newest = (sessions: readonly Resource[]) => sessions.toSorted((a, b) => active(b).localeCompare(active(a)))[0];
  let last: Resource | undefined;
  for (const reference of referencesTo(system, namespace)) {
    const pages = listObjects(client, sessionKind(), { namespace, fieldSelector: `spec.system=${reference}` });
    for await (const page of pages) last = newest([...(last ? [last] : []), ...page.filter((session) => !hasEnded(session))]);
  }
  if (last) return last.metadata.name;
  throw new CliError(`agent-system/${system.name} has no session in namespace ${namespace} that can be continued`, {
    exitCode: EXIT.notFound,
    hint: 'leave --resume out to begin one',
  });
}

async function createSession(invocation: Invocation, system: NamespacedName, options: ChatOptions): Promise<SessionHandle> {
  const { client, namespace } = await invocation.connect();
  const name = options.name ?? generatedName(system.name);
  const spec = {
    system: referencesTo(system, namespace)[0],
    ...(options.idleTtl !== undefined && { idle_ttl: options.idleTtl }),
    ...(options.maxTurns !== undefined && { max_turns: options.maxTurns }),
    ...(options.input && { input: inputFromPairs(options.input) }),
  };
  await createObject(
    client,
    { kind: sessionKind(), namespace, name },
    {
      body: { apiVersion: API_VERSION, kind: 'Session', metadata: { name, namespace }, spec },
      taken: (svcctl) => `continue it: "${svcctl} chat session/${name}"`,
    },
  );
  return { client, namespace, name };
}

const sinkOf = (invocation: Invocation, { quiet }: ChatOptions) =>
  invocation.terminal.stdout.isTTY && !quiet ? createTerminalSink(invocation) : createPipeSink(invocation, quiet);

async function sendOne(invocation: Invocation, open: () => Promise<SessionHandle>, options: ChatOptions): Promise<number> {
  const content = await readAll(invocation.terminal.stdin);
  if (content.trim() === '') throw usageError('the message is empty', 'pipe it in, or run it at a terminal');
  const session = await open();
  const after = lastEventOf(await getSession(session));
  if (!options.quiet) invocation.note(`session/${session.name}`);
  const message = { content: content.trimEnd(), idempotencyKey: randomUUID() };
  return (await sendAndFollow(invocation, session, { message, after, sink: sinkOf(invocation, options) })).exitCode;
}

/** One message after the other; the first turn that is not completed ends it. */
async function sendLines(invocation: Invocation, open: () => Promise<SessionHandle>, options: ChatOptions): Promise<number> {
  let session: SessionHandle | undefined;
  let after = 0;
  for await (const line of createInterface({ input: invocation.terminal.stdin })) {
    if (line.trim() === '') continue;
    if (!session) {
      session = await open();
      after = lastEventOf(await getSession(session));
      if (!options.quiet) invocation.note(`session/${session.name}`);
    }
    const message = { content: line, idempotencyKey: randomUUID() };
    const { exitCode, lastSeq } = await sendAndFollow(invocation, session, { message, after, sink: sinkOf(invocation, options) });
    if (exitCode !== EXIT.ok) return exitCode;
    after = lastSeq;
  }
  return EXIT.ok;
}
