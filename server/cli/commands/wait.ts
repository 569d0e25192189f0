// `svcctl wait`: returns when an object reaches a phase, an end, or is gone.
import type { Resource } from '@svc/shared/resource';
import { parseDuration } from '@svc/shared/duration';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { CommandSetup } from '../command-setup.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { objectWord, parseTargets, type NamedObject } from '../kind-arguments.ts';
import { isEndPhase } from '../end-phases.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { watchObjects } from '../watch-objects.ts';

type Condition = { readonly until: 'phase'; readonly phase: string } | { readonly until: 'terminal' } | { readonly until: 'delete' };

const parseTimeout = (value: string): number => {
  const ms = parseDuration(value);
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('It must be a duration such as 30s or 5m.');
  return ms;
};

function parseCondition(value: string): Condition {
  if (value === 'terminal' || value === 'delete') return { until: value };
  const phase = /^phase=(.+)$/.exec(value)?.[1];
  if (!phase) throw new InvalidArgumentError('It must be phase=NAME, terminal or delete.');
  return { until: 'phase', phase };
}

export const setupWait: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND/NAME… or KIND NAME…')
    .addOption(
      new Option('--for <condition>', 'phase=NAME, terminal (any end) or delete')
        .argParser(parseCondition)
        .default({ until: 'terminal' }, 'terminal'),
    )
    .addOption(new Option('--timeout <duration>', 'give up after this long (exit code 6)').argParser(parseTimeout).default(30_000, '30s'))
    .addHelpText('after', '\nWaiting for a phase fails at once when the object ends in another one.')
    .action((words, options) => run((invocation) => wait(invocation, words, options)));
};

async function wait(invocation: Invocation, words: readonly string[], options: { for: Condition; timeout: number }): Promise<number> {
  const target = parseTargets(words);
  if (!('objects' in target)) throw usageError('which one?', 'write KIND/NAME, such as task/report');
  const condition = options.for;
  const foreign = target.objects.find(({ kind }) => condition.until === 'phase' && !kind.phases.includes(condition.phase));
  if (foreign && condition.until === 'phase')
    throw usageError(`${foreign.kind.kind} has no phase ${condition.phase}`, `its phases are ${foreign.kind.phases.join(', ')}`);
  const deadline = AbortSignal.timeout(options.timeout);
  const interrupted = await untilInterrupted(invocation.terminal, async (interrupt) => {
    const signal = AbortSignal.any([deadline, interrupt]);
    await Promise.all(target.objects.map((object) => waitForOne(invocation, object, { condition, signal })));
  });
  if (interrupted) return EXIT.interrupted;
  return EXIT.ok;
}

/** Whether the object's state satisfies the condition; throws when it never can. */
function satisfied(object: NamedObject, resource: Resource | undefined, condition: Condition): boolean {
  const word = objectWord(object.kind.kind, object.name);
  if (condition.until === 'delete') return resource === undefined;
  if (resource === undefined) throw new CliError(`${word} was deleted`, { exitCode: EXIT.notFound });
  const phase = String(resource.status['phase']);
  const ended = isEndPhase(object.kind.kind, phase);
  if (condition.until === 'terminal') return ended;
  if (phase !== condition.phase && ended) throw new CliError(`${word} ended in phase ${phase}, not ${condition.phase}`);
  return phase === condition.phase;
}

async function waitForOne(invocation: Invocation, object: NamedObject, goal: { condition: Condition; signal: AbortSignal }): Promise<void> {
  const { client, namespace } = await invocation.connect();
  const word = objectWord(object.kind.kind, object.name);
  let seen: Resource | undefined;
  let synced = false;
  for await (const event of watchObjects(client, object.kind, { namespace, name: object.name, signal: goal.signal })) {
    if (event.type === 'resync') {
      seen = undefined;
      synced = false;
      continue;
    }
    if (event.type === 'item') seen = event.item.type === 'deleted' ? undefined : event.item.resource;
    else if (!seen && goal.condition.until !== 'delete')
      throw new CliError(`${word} does not exist in namespace ${namespace}`, { exitCode: EXIT.notFound });
    synced ||= event.type === 'synced';
    if (!synced || !satisfied(object, seen, goal.condition)) continue;
    invocation.out(`${word} ${seen ? String(seen.status['phase']) : 'deleted'}`);
    return;
  }
  if (goal.signal.reason instanceof DOMException && goal.signal.reason.name === 'TimeoutError') {
    const state = seen ? `it is ${String(seen.status['phase'])}` : 'its state is not known';
    throw new CliError(`timed out waiting for ${word}; ${state}`, { exitCode: EXIT.timedOut, hint: 'wait longer with --timeout' });
  }
}
