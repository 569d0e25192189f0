// Waiting for a state of objects, by the watch of their kind: no poll, and no change missed.
import { setMaxListeners } from 'node:events';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { parseLongDuration } from '@svc/shared/duration';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { phaseOf, type Resource } from '@svc/shared/resource';
import { hasEnded } from './end-phases.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { valueText, type JsonPath } from '../arguments/json-path.ts';
import { objectWord } from '../arguments/kind-arguments.ts';
import type { ObjectKey } from './resource-api.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';
import { watchObjects } from './watch-objects.ts';
import { timeLimit } from '../../clock.ts';

export type Condition =
  | { readonly until: 'phase'; readonly phase: string }
  | { readonly until: 'terminal' }
  | { readonly until: 'create' }
  | { readonly until: 'delete' }
  /** Without a value: until there is any. */
  | { readonly until: 'jsonpath'; readonly path: JsonPath; readonly text: string; readonly value: string | undefined };

export interface WaitGoal {
  readonly key: ObjectKey;
  readonly condition: Condition;
}

export const parseDurationFlag = (value: string): number => {
  const ms = parseLongDuration(value);
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('It must be a duration such as 30s, 5m or 2d.');
  return ms;
};

export const timeoutOption = (description: string) =>
  new Option('--timeout <duration>', description).argParser(parseDurationFlag).default(30_000, '30s');

/** Above this number of goals one watch serves all of a kind and namespace: a server limits streams. */
const WATCHES_MAX = 16;

/** Prints each object when its condition holds, unless quiet; answers with the exit code. */
export async function waitForAll(
  invocation: Invocation,
  goals: readonly WaitGoal[],
  { timeoutMs, quiet = false }: { readonly timeoutMs: number; readonly quiet?: boolean },
): Promise<number> {
  const deadline = timeLimit(timeoutMs);
  const failed = new AbortController();
  const print = (line: string) => (quiet ? undefined : invocation.out(line));
  const interrupted = await untilInterrupted(invocation.terminal, async (interrupt) => {
    const signal = AbortSignal.any([deadline, interrupt, failed.signal]);
    // Each watch listens to it.
    setMaxListeners(0, signal);
    try {
      await Promise.all(groupsOf(goals).map((group) => waitForGroup(invocation, group, { signal, print })));
    } finally {
      failed.abort();
    }
  });
  return interrupted ? EXIT.interrupted : EXIT.ok;
}

/** Goals of one kind and namespace, by the names of their objects; one watch serves them. */
interface WaitGroup {
  readonly kind: KindDefinition;
  readonly namespace: string;
  readonly goals: Map<string, WaitGoal>;
}

function groupsOf(goals: readonly WaitGoal[]): readonly WaitGroup[] {
  const groups = new Map<string, WaitGroup>();
  for (const goal of goals) {
    const { kind, namespace, name } = goal.key;
    const word = goals.length > WATCHES_MAX ? `${kind.kind}/${namespace}` : `${kind.kind}/${namespace}/${name}`;
    const group = groups.get(word) ?? { kind, namespace, goals: new Map<string, WaitGoal>() };
    groups.set(word, group);
    group.goals.set(name, goal);
  }
  return [...groups.values()];
}

/** Whether the object's state satisfies the condition; throws when it never can. */
function satisfied({ key, condition }: WaitGoal, resource: Resource | undefined): boolean {
  if (condition.until === 'delete') return resource === undefined;
  if (condition.until === 'create') return resource !== undefined;
  const word = objectWord(key.kind.kind, key.name);
  if (resource === undefined) throw new CliError(`${word} was deleted`, { exitCode: EXIT.notFound });
  if (condition.until === 'jsonpath') {
    const values = condition.path(resource);
    return condition.value === undefined ? values.length > 0 : values.some((value) => valueText(value) === condition.value);
  }
  const phase = phaseOf(resource);
  const ended = hasEnded(resource);
  if (condition.until === 'terminal') return ended;
  if (phase !== condition.phase && ended) throw new CliError(`${word} ended in phase ${phase}, not ${condition.phase}`);
  return phase === condition.phase;
}

function reachedLine({ key, condition }: WaitGoal, seen: Resource | undefined): string {
  const word = objectWord(key.kind.kind, key.name);
  if (condition.until === 'delete' || !seen) return `${word} deleted`;
  if (condition.until === 'jsonpath') return `${word} ${condition.text}`;
  return `${word} ${condition.until === 'create' ? 'created' : phaseOf(seen)}`;
}

const waitsForAbsent = ({ until }: Condition): boolean => until === 'delete' || until === 'create';

interface Waiting {
  readonly signal: AbortSignal;
  /** Receives a line for each goal that is reached. */
  readonly print: (line: string) => void;
}

/** Resolves when all goals are reached, or by the signal; goals that are reached leave the group. */
async function waitForGroup(invocation: Invocation, group: WaitGroup, { signal, print }: Waiting): Promise<void> {
  const { client } = await invocation.connect();
  const { kind, namespace, goals } = group;
  const [onlyName, ...others] = goals.keys();
  const seen = new Map<string, Resource>();
  let synced = false;
  for await (const event of watchObjects(client, kind, { namespace, name: others.length > 0 ? undefined : onlyName, signal })) {
    if (event.type === 'resync') seen.clear();
    else if (event.type === 'item' && event.item.type === 'deleted') seen.delete(event.item.name);
    else if (event.type === 'item' && goals.has(event.item.name)) seen.set(event.item.name, event.item.resource);
    const opens = event.type === 'synced';
    synced = opens || (synced && event.type !== 'resync');
    if (!synced) continue;
    for (const name of event.type === 'item' ? [event.item.name] : [...goals.keys()]) {
      const goal = goals.get(name);
      if (!goal) continue;
      if (opens && !seen.has(name) && !waitsForAbsent(goal.condition)) throw absent(goal);
      if (!satisfied(goal, seen.get(name))) continue;
      goals.delete(name);
      print(reachedLine(goal, seen.get(name)));
    }
    if (goals.size === 0) return;
  }
  if (signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError') throw timedOut(group, seen);
}

function absent({ key: { kind, namespace, name } }: WaitGoal): CliError {
  return new CliError(`${objectWord(kind.kind, name)} does not exist in namespace ${namespace}`, { exitCode: EXIT.notFound });
}

function timedOut({ kind, goals }: WaitGroup, seen: ReadonlyMap<string, Resource>): CliError {
  const [name = ''] = goals.keys();
  const last = seen.get(name);
  const state = last ? `it is ${phaseOf(last)}` : 'its state is not known';
  const rest = goals.size > 1 ? ` and ${goals.size - 1} more` : `; ${state}`;
  return new CliError(`timed out waiting for ${objectWord(kind.kind, name)}${rest}`, {
    exitCode: EXIT.timedOut,
    hint: 'wait longer with --timeout',
  });
}
