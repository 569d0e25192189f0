// Objects that a command line means, as keys: by name, or all of the named kinds that match.
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { kindsText, type Targets } from './kind-arguments.ts';
import { listObjects, type ObjectKey } from '../api/resource-api.ts';

export interface Choice {
  readonly selector?: string | undefined;
  /** All of the kinds. */
  readonly all?: boolean | undefined;
}

/** Throws a usage error for options that choose among all objects of a kind; `choices` has their values by flag. */
export function refuseWithNames(invocation: Invocation, choices: Readonly<Record<string, string | boolean | undefined>>): void {
  const [flag] = Object.entries(choices).find(([, value]) => value !== undefined && value !== false) ?? [];
  if (flag !== undefined) throw usageError(`names cannot be combined with ${flag}`);
  if (invocation.allNamespaces) throw usageError('names cannot be combined with -A', 'choose the namespace with -n');
}

/** Keys of the objects. Kinds without names need a selector or `all`. */
export async function keysOfTargets(invocation: Invocation, targets: Targets, { selector, all }: Choice): Promise<readonly ObjectKey[]> {
  if ('objects' in targets) {
    refuseWithNames(invocation, { '-l': selector, '--all': all });
    const { namespace } = await invocation.connect();
    return targets.objects.map(({ kind, name }) => ({ kind, namespace, name }));
  }
  if (selector === undefined && !all) throw usageError(`which ${kindsText(targets.kinds)}?`, 'give names, -l LABELS, or --all');
  return matchingKeys(invocation, targets.kinds, selector);
}

/** Keys of all objects of the kinds whose labels match, in the namespaces in force. */
export async function matchingKeys(
  invocation: Invocation,
  kinds: readonly ObjectKey['kind'][],
  labelSelector: string | undefined,
): Promise<readonly ObjectKey[]> {
  const { client, namespace } = await invocation.connect();
  const keys: ObjectKey[] = [];
  const filter = { namespace: invocation.allNamespaces ? '*' : namespace, labelSelector };
  for (const kind of kinds) {
    for await (const page of listObjects(client, kind, filter))
      keys.push(...page.map(({ metadata }) => ({ kind, namespace: metadata.namespace, name: metadata.name })));
  }
  if (keys.length === 0) invocation.note(`No ${kindsText(kinds)} match.`);
  return keys;
}
