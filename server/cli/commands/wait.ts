// `svcctl wait`: returns when objects reach a phase, an end or a value, or are created or deleted.
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { CommandSetup } from '../program/command-setup.ts';
import { EXIT, usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { parsePath } from '../arguments/json-path.ts';
import { parseTargets } from '../arguments/kind-arguments.ts';
import type { ObjectKey } from '../api/resource-api.ts';
import { keysOfTargets } from '../arguments/target-keys.ts';
import { timeoutOption, waitForAll, type Condition } from '../api/wait-for.ts';

interface WaitOptions {
  readonly for: Condition;
  readonly selector?: string | undefined;
  readonly all?: boolean | undefined;
  readonly timeout: number;
}

function parseCondition(value: string): Condition {
  if (value === 'terminal' || value === 'delete' || value === 'create') return { until: value };
  const [, phase] = /^(?:phase|condition)=(.+)$/s.exec(value) ?? [];
  if (phase !== undefined) return { until: 'phase', phase };
  const [, braced, plain, wanted] = /^jsonpath=(?:(\{.*\})|([^=]+))(?:=(.*))?$/s.exec(value) ?? [];
  const path = braced ?? plain;
  if (path === undefined) throw new InvalidArgumentError('It must be phase=NAME, jsonpath=PATH=VALUE, terminal, create or delete.');
  return { until: 'jsonpath', path: parsePath(path), text: value.slice('jsonpath='.length), value: wanted };
}

export const setupWait: CommandSetup = (command, run) => {
  command
    .argument('<object...>', 'KIND/NAME…, KIND NAME…, or KIND with -l or --all')
    .addOption(
      new Option(
        '--for <condition>',
        'phase=NAME, jsonpath=PATH=VALUE, terminal (any end), create or delete; condition=NAME means phase=NAME',
      )
        .argParser(parseCondition)
        .default({ until: 'terminal' }, 'terminal'),
    )
    .option('-l, --selector <labels>', 'with KIND: the objects whose labels match')
    .option('--all', 'with KIND: all objects that exist now')
    .addOption(timeoutOption('give up after this long (exit code 6)'))
    .addHelpText('after', '\nWaiting for a phase fails at once when the object ends in another phase.')
    .action((words, options) => run((invocation) => wait(invocation, words, options)));
};

async function wait(invocation: Invocation, words: readonly string[], options: WaitOptions): Promise<number> {
  const keys = await keysOfTargets(invocation, parseTargets(words), options);
  if (keys.length === 0) return EXIT.notFound;
  const goals = keys.map((key) => ({ key, condition: conditionOf(key, options.for) }));
  return waitForAll(invocation, goals, { timeoutMs: options.timeout });
}

/** The condition with a phase as the kind writes it, whatever the case it was typed in. Throws for one that no object of the kind can meet. */
function conditionOf({ kind }: ObjectKey, condition: Condition): Condition {
  if (condition.until === 'terminal' && kind.terminalPhases.length === 0)
    throw usageError(
      `${kind.plural} have no end phase to wait for`,
      `give --for phase=NAME (${kind.phases.join(', ')}), jsonpath=PATH=VALUE, create or delete`,
    );
  if (condition.until !== 'phase') return condition;
  const phase = kind.phases.find((each) => each.toLowerCase() === condition.phase.toLowerCase());
  if (phase === undefined) throw usageError(`${kind.kind} has no phase ${condition.phase}`, `its phases are ${kind.phases.join(', ')}`);
  return { until: 'phase', phase };
}
