// The subcommands suspend and resume of kinds that can be suspended. A suspension has a reason, which pages and explanations show.
import type { Command } from '@commander-js/extra-typings';
import { valueAtPath } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { SUSPEND_REASON, type Resource } from '@svc/shared/resource';
import { objectWord } from '../arguments/kind-arguments.ts';
import { changeObject, type ObjectHandle } from '../api/resource-api.ts';
import type { Run } from '../program/command-setup.ts';
import type { Invocation } from '../program/invocation.ts';

export interface Suspendable {
  readonly kind: KindDefinition;
  readonly handleOf: (invocation: Invocation, word: string) => Promise<ObjectHandle>;
  /** Name of the argument, and its help. */
  readonly argument: string;
  readonly names: string;
  /** Descriptions of the two commands. */
  readonly suspend: string;
  readonly resume: string;
}

export function addSuspension(command: Command, run: Run, of: Suspendable): void {
  command
    .command('suspend')
    .description(of.suspend)
    .argument(`<${of.argument}...>`, of.names)
    .option('--reason <text>', 'why; shown until it is resumed')
    .action((words, { reason }) => run((invocation) => setSuspended(invocation, words, { ...of, wanted: true, reason })));
  command
    .command('resume')
    .description(of.resume)
    .argument(`<${of.argument}...>`, of.names)
    .action((words) => run((invocation) => setSuspended(invocation, words, { ...of, wanted: false, reason: undefined })));
}

interface Suspension extends Suspendable {
  readonly wanted: boolean;
  readonly reason: string | undefined;
}

async function setSuspended(invocation: Invocation, words: readonly string[], suspension: Suspension): Promise<void> {
  const { kind, handleOf, wanted, reason } = suspension;
  for (const word of words) {
    const { client, key } = await handleOf(invocation, word);
    const changed = await changeObject(client, key, { change: (current) => planSuspension(current, { wanted, reason }) });
    invocation.out(`${objectWord(kind.kind, key.name)} ${changed === undefined ? 'unchanged' : wanted ? 'suspended' : 'resumed'}`);
  }
}

/** The patch, or undefined where nothing changes. A reason of an earlier suspension goes. */
function planSuspension(current: Resource, { wanted, reason }: Pick<Suspension, 'wanted' | 'reason'>): unknown {
  const stored = current.metadata.annotations[SUSPEND_REASON];
  if ((valueAtPath(current, 'spec.suspend') === true) === wanted && (reason === undefined || reason === stored)) return undefined;
  const annotations = { [SUSPEND_REASON]: reason ?? null };
  return { spec: { suspend: wanted }, ...(reason !== stored && { metadata: { annotations } }) };
}
