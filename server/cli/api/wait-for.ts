// Waiting for a state of objects, by the watch of their kind: no poll, and no change missed.
import { setMaxListeners } from 'node:events';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { parseLongDuration } from '@svc/shared/duration';
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
  /** With a uid: until this object is gone, whatever has its name then. */
  | { readonly until: 'delete'; readonly uid?: string | undefined }
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

/** Prints each object when its condition holds, unless quiet; answers with the exit code. */
export async function waitForAll(
  invocation: Invocation,
  goals: readonly WaitGoal[],
  { timeoutMs, quiet = false }: { readonly timeoutMs: number; readonly quiet?: boolean },
): Promise<number> {
  const deadline = timeLimit(timeoutMs);
  const failed = new AbortController();
  const interrupted = await untilInterrupted(invocation.terminal, async (interrupt) => {
    const signal = AbortSignal.any([deadline, interrupt, failed.signal]);
    // Each watch listens to it, and there is no limit on goals.
    setMaxListeners(0, signal);
    try {
      await Promise.all(
        goals.map((goal) => waitForOne(invocation, goal, signal).then((line) => (quiet || !line ? undefined : invocation.out(line)))),
      );
    } finally {
      failed.abort();
    }
  });
  return interrupted ? EXIT.interrupted : EXIT.ok;
}

/** Whether the object's state satisfies the condition; throws when it never can. */
function satisfied({ key, condition }: WaitGoal, resource: Resource | undefined): boolean {
  if (condition.until === 'delete')
    return resource === undefined || (condition.uid !== undefined && resource.metadata.uid !== condition.uid);
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

/** The line that says what was reached; undefined when the signal came first. */
async function waitForOne(invocation: Invocation, goal: WaitGoal, signal: AbortSignal): Promise<string | undefined> {
  const { client } = await invocation.connect();
  const { kind, namespace, name } = goal.key;
  const word = objectWord(kind.kind, name);
  let seen: Resource | undefined;
  let synced = false;
  for await (const event of watchObjects(client, kind, { namespace, name, signal })) {
    if (event.type === 'resync') {
      seen = undefined;
      synced = false;
      continue;
    }
    if (event.type === 'item') seen = event.item.type === 'deleted' ? undefined : event.item.resource;
    else if (!seen && !waitsForAbsent(goal.condition))
      throw new CliError(`${word} does not exist in namespace ${namespace}`, { exitCode: EXIT.notFound });
    synced ||= event.type === 'synced';
    if (!synced || !satisfied(goal, seen)) continue;
    return reachedLine(goal, seen);
  }
  if (signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError') {
    const state = seen ? `it is ${phaseOf(seen)}` : 'its state is not known';
    throw new CliError(`timed out waiting for ${word}; ${state}`, { exitCode: EXIT.timedOut, hint: 'wait longer with --timeout' });
  }
  return undefined;
}
