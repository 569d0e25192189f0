// Candidates that may follow the words typed so far. Names come from the server through `fetchBody`; nothing here prints or throws.
import { MCP_SERVER_OWNER } from '@svc/shared/generated-objects';
import { findKind, kinds } from '@svc/shared/kinds';
import { fieldAt, kindFields } from '@svc/shared/kinds/kind-fields';
import { isObject } from '@svc/shared/json';
import { approvalDefinitions, type ApprovalKind } from '../api/approval-objects.ts';
import { blueprintNames } from '../commands/init.ts';
import type { CommandEntry } from '../program/command-setup.ts';
import { OUTPUT_FORMATS } from '../program/invocation.ts';
import { kindWord } from '../arguments/kind-arguments.ts';
import { readProfiles } from '../program/profiles.ts';
import { FILES, SHELLS } from './scripts.ts';

const NAMES_MAX = 200;
const GLOBAL_FLAGS = ['--server', '--namespace', '--all-namespaces', '--profile', '--output', '--no-color', '--help'];

export interface Flag {
  readonly name: string;
  /** Such as `-f`. */
  readonly short: string | undefined;
  readonly takesValue: boolean;
  /** Values of the option; empty when it takes any. */
  readonly choices: readonly string[];
}

export interface CompletionSource {
  readonly commands: readonly CommandEntry[];
  /** `words` follow the command; they may name a subcommand. */
  readonly flagsOf: (command: CommandEntry, words: readonly string[]) => Promise<readonly Flag[]>;
  readonly subcommandsOf: (command: CommandEntry) => Promise<readonly string[]>;
  readonly fetchBody: (path: string, query: Record<string, string | number>) => Promise<unknown>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Words = readonly string[];

/** Commands whose arguments are objects of any kind. */
const OBJECT_COMMANDS: ReadonlySet<string> = new Set(['get', 'describe', 'edit', 'patch', 'label', 'annotate', 'delete', 'wait']);
/** Commands whose argument names an object of one kind. */
const NAME_COMMANDS: Readonly<Record<string, string>> = {
  run: 'AgentSystem',
  trace: 'Task',
  messages: 'Task',
  cancel: 'Task',
  continue: 'Task',
  retry: 'Task',
};
/** Subcommands of `sessions` that take checkpoints behind the name, and how many. */
const CHECKPOINT_COMMANDS: Readonly<Record<string, number>> = { checkpoints: 1, replay: 1, diff: 2, rewind: 1, fork: 1 };
const approvalKinds = (kind?: ApprovalKind): readonly string[] => approvalDefinitions(kind).map((each) => each.kind);
/** Commands, and subcommands of `approvals`, whose argument names an approval; of which kinds. */
const APPROVAL_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  approve: approvalKinds(),
  deny: approvalKinds(),
  show: approvalKinds(),
  'request-changes': approvalKinds('task'),
};
const GLOBALS_WITH_VALUE: Readonly<Record<string, string>> = {
  '-n': 'namespace',
  '--namespace': 'namespace',
  '--server': 'server',
  '--profile': 'profile',
};
const GLOBAL_VALUES: ReadonlySet<string> = new Set([...Object.keys(GLOBALS_WITH_VALUE), '--token', '-o', '--output']);

/** Flags whose value is a file, and commands whose arguments are; of `init` the second. */
const FILE_FLAGS: ReadonlySet<string> = new Set([
  '-f',
  '--filename',
  '--file',
  '--patch-file',
  '--input-file',
  '--public-key',
  '--data-dir',
  '--secret-file',
  '--data-file',
  '--value-file',
  '--password-file',
  '--keys',
]);
const takesFile = (command: string, args: Words): boolean => command === 'validate' || (command === 'init' && args.length === 1);

/** The global options among the words, which decide whose names are offered. */
export function typedGlobals(words: Words): { server?: string; namespace?: string; profile?: string } {
  const globals: Record<string, string> = {};
  for (const [i, word] of words.slice(0, -1).entries()) {
    const [flag = '', inline] = word.split(/=(.*)/s);
    const name = GLOBALS_WITH_VALUE[flag];
    const value = inline ?? words[i + 1];
    if (name && value) globals[name] = value;
  }
  return globals;
}

async function names(source: CompletionSource, kindName: string, filter: Record<string, string> = {}): Promise<string[]> {
  const kind = findKind(kindName);
  if (!kind) return [];
  const body = await source.fetchBody(`/v1/${kind.plural}`, { limit: NAMES_MAX, ...filter });
  const items: unknown[] = isObject(body) && Array.isArray(body['items']) ? body['items'] : [];
  return items.flatMap((item) => (isObject(item) && isObject(item['metadata']) ? [String(item['metadata']['name'])] : []));
}

interface TypedFlag {
  readonly flag: string;
  readonly command: string | undefined;
  readonly current: string;
}

async function flagValues({ flag, command, current }: TypedFlag, source: CompletionSource): Promise<string[] | undefined> {
  if (flag === '-o' || flag === '--output') return [...OUTPUT_FORMATS];
  if (flag === '--profile') return Object.keys((await readProfiles(source.env)).profiles);
  if (command === 'schedule' && flag === '--time-zone') return ['UTC', ...Intl.supportedValuesOf('timeZone')];
  if (flag === '--for' && command === 'events') return objectCandidates([], current, source);
  if (flag === '--for') return ['terminal', 'create', 'delete', 'phase=', 'jsonpath='];
  if (command === 'sessions' && flag === '--model') return names(source, 'ModelEndpoint');
  if (command === 'sessions' && flag === '--session') return names(source, 'Session');
  if (flag !== '-n' && flag !== '--namespace') return undefined;
  const body = await source.fetchBody('/v1/namespaces', {});
  return isObject(body) && Array.isArray(body['namespaces']) ? body['namespaces'].map(String) : [];
}

async function objectCandidates(args: Words, current: string, source: CompletionSource): Promise<string[]> {
  const [word] = current.split('/');
  if (current.includes('/') && word) return (await names(source, word)).map((name) => `${word}/${name}`);
  const [kind] = args;
  const [listed] = /^(?:[^/,]+,)+/.exec(current) ?? [];
  if (kind === undefined && listed !== undefined) return kinds.map((each) => `${listed}${each.plural}`);
  if (kind === undefined) return [...kinds.map((each) => each.plural), ...kinds.map((each) => `${kindWord(each.kind)}/`)];
  return kind.includes('/') ? [] : names(source, kind);
}

/** Names of approvals that wait; with the kind in front, all of that kind. */
async function approvalCandidates(command: string, current: string, source: CompletionSource): Promise<string[]> {
  if (current.includes('/')) return objectCandidates([], current, source);
  const kinds = APPROVAL_COMMANDS[command] ?? [];
  const pending = command === 'show' ? {} : { fieldSelector: 'status.phase=Pending' };
  return (await Promise.all(kinds.map((kind) => names(source, kind, pending)))).flat();
}

/** Names of sessions, then the checkpoints of the one that was named. */
async function sessionCandidates([subcommand = '', session, ...typed]: Words, source: CompletionSource): Promise<string[]> {
  if (session === undefined) return names(source, 'Session');
  if (typed.length >= (CHECKPOINT_COMMANDS[subcommand] ?? 0)) return [];
  const body = await source.fetchBody(`/v1/sessions/${encodeURIComponent(session)}/checkpoints`, {});
  const items: unknown[] = isObject(body) && Array.isArray(body['items']) ? body['items'] : [];
  return ['latest', ...items.filter(isObject).map(({ id }) => String(id))];
}

/** Names of webhooks, then ids of the deliveries of the one that was named. */
async function webhookCandidates([subcommand, webhook, ...typed]: Words, source: CompletionSource): Promise<string[]> {
  if (webhook === undefined) return names(source, 'TaskWebhook');
  if (subcommand !== 'redeliver' || typed.length > 0) return [];
  const body = await source.fetchBody(`/v1/task-webhooks/${encodeURIComponent(webhook)}/deliveries`, {});
  const items: unknown[] = isObject(body) && Array.isArray(body['items']) ? body['items'] : [];
  return items.filter(isObject).map(({ id }) => String(id));
}

/** Names of schedules; `suspend` and `resume` take several. */
async function scheduleCandidates([subcommand = '', ...typed]: Words, source: CompletionSource): Promise<string[]> {
  const several = ['suspend', 'resume'].includes(subcommand);
  return subcommand === 'list' || (typed.length > 0 && !several) ? [] : names(source, 'TaskSchedule');
}

/** Names of memories, then keys of the one that was named; a key that was begun is completed among those with its prefix. */
async function memoryCandidates(
  { args: [subcommand = '', memory, ...typed], current }: { args: Words; current: string },
  source: CompletionSource,
) {
  if (memory === undefined) return names(source, 'Memory');
  if (subcommand !== 'delete' && (typed.length > 0 || !['get', 'put'].includes(subcommand))) return [];
  const query = { limit: NAMES_MAX, ...(current !== '' && { prefix: current }) };
  const body = await source.fetchBody(`/v1/memories/${encodeURIComponent(memory)}/entries`, query);
  const entries: unknown[] = isObject(body) && Array.isArray(body['entries']) ? body['entries'] : [];
  return entries.filter(isObject).map(({ key }) => String(key));
}

/** Paths of the fields below the one that was begun, as `explain` takes them. */
function fieldCandidates(current: string): string[] {
  const [kindWord = '', ...path] = current.split('.');
  const kind = findKind(kindWord);
  if (!kind) return [];
  const roots = kindFields(kind);
  const parents = path.slice(0, -1);
  const found = parents.length === 0 ? roots.map(({ name }) => name) : [...(fieldAt(roots, parents)?.children.keys() ?? [])];
  return found.map((name) => [kindWord, ...parents, name].join('.'));
}

/** Arguments by rules of single commands; undefined for other commands. */
async function ownCandidates(
  { command, args, current }: { command: string; args: Words; current: string },
  source: CompletionSource,
): Promise<string[] | undefined> {
  const [subcommand, name] = args;
  if (command === 'init' && args.length === 0) return blueprintNames();
  if (command === 'explain' && args.length === 0 && current.includes('.')) return fieldCandidates(current);
  if (command === 'mcp' && subcommand === 'call' && args.length === 2)
    return names(source, 'tools', { labelSelector: `${MCP_SERVER_OWNER}=${name}` });
  if (args.length !== 1) return undefined;
  if (command === 'mcp') return names(source, 'mcp-servers');
  if (command === 'a2a') return names(source, 'agent-systems');
  if (command === 'bundle') return subcommand === 'export' ? names(source, 'agent-systems') : [FILES];
  return undefined;
}

interface TypedArgument {
  readonly command: string;
  readonly entry: CommandEntry;
  readonly args: Words;
  readonly current: string;
}

async function argumentCandidates(typed: TypedArgument, source: CompletionSource): Promise<string[]> {
  const { command, entry, args, current } = typed;
  if (OBJECT_COMMANDS.has(command)) return objectCandidates(args, current, source);
  if (command === 'approvals' && args.length === 1) return approvalCandidates(args[0] ?? '', current, source);
  if (args.length === 0 && command in APPROVAL_COMMANDS) return approvalCandidates(command, current, source);
  if (command === 'chat' && args.length === 0) return (await Promise.all([names(source, 'AgentSystem'), names(source, 'Session')])).flat();
  if (command === 'sessions' && args.length > 0) return sessionCandidates(args, source);
  if (command === 'webhook' && args.length > 0) return webhookCandidates(args, source);
  if (command === 'schedule' && args.length > 0) return scheduleCandidates(args, source);
  if (command === 'worker' && args.length > 0) return names(source, 'Worker');
  if (command === 'experiment' && args.length > 0) return args.length === 1 && args[0] !== 'run' ? names(source, 'Experiment') : [];
  if (command === 'memory' && args.length > 0) return memoryCandidates({ args, current }, source);
  const kind = NAME_COMMANDS[command];
  if (kind) return args.length === 0 || command === 'cancel' ? names(source, kind) : [];
  if (command === 'auth' && args[0] === 'can-i')
    return names(source, kinds.find(({ verdictPart }) => verdictPart === (['agent', 'tool'] as const)[args.length - 1])?.kind ?? '');
  if (takesFile(command, args)) return [FILES];
  const own = await ownCandidates(typed, source);
  if (own) return own;
  if (args.length > 0) return [];
  if (command === 'explain') return kinds.map((each) => kindWord(each.kind));
  if (command === 'logs') return current.includes('/') ? objectCandidates([], current, source) : ['task/', 'agent/'];
  if (command === 'completion') return [...SHELLS];
  return [...(await source.subcommandsOf(entry))];
}

/** Candidates for the last word, which may be empty; those that do not begin with it are left out. */
export async function completions(words: Words, source: CompletionSource): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const [, inlineFlag, inlineValue = ''] = /^(--?[a-z][a-z-]*)=(.*)$/s.exec(current) ?? [];
  if (inlineFlag !== undefined) {
    const values = await completions([...before, inlineFlag, inlineValue], source);
    return values.map((value) => (value === FILES ? value : `${inlineFlag}=${value}`));
  }
  const at = before.findIndex((word, i) => !word.startsWith('-') && !GLOBAL_VALUES.has(before[i - 1] ?? ''));
  const command = before[at];
  const rest = before.slice(at + 1);
  const entry = source.commands.find((each) => each.name === command);
  const flags = entry ? await source.flagsOf(entry, rest) : [];
  const flagAt = (word: string) => flags.find(({ name, short }) => word === name || word === short);
  const takesValue = (word = '') => GLOBAL_VALUES.has(word) || flagAt(word)?.takesValue === true;
  const args = rest.filter((word, i) => !word.startsWith('-') && !takesValue(rest[i - 1]));
  const candidates = async (): Promise<string[]> => {
    const previous = before.at(-1) ?? '';
    if (FILE_FLAGS.has(previous) && takesValue(previous)) return [FILES];
    const values = await flagValues({ flag: previous, command, current }, source);
    if (values) return values;
    const { choices = [] } = flagAt(previous) ?? {};
    if (choices.length > 0) return [...choices];
    if (takesValue(previous)) return [];
    if (current.startsWith('-')) return [...flags.map(({ name }) => name), ...GLOBAL_FLAGS];
    if (command === undefined) return source.commands.filter((each) => !each.hidden).map((each) => each.name);
    return entry ? argumentCandidates({ command, entry, args, current }, source) : [];
  };
  return (await candidates()).filter((candidate) => candidate === FILES || candidate.startsWith(current));
}
