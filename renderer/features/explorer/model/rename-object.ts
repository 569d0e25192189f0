// Renames an object with every reference to it: reads what refers to it, and writes all of it in one transaction.
import { ServiceError } from '@svc/shared/errors';
import type { KindDefinition } from '@svc/shared/kinds/define';
import type { Resource, ResourceKey } from '@svc/shared/resource';
import { loadDefinitions } from '../../../kinds/definitions.ts';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { renameInKeptTrial } from '../../trials/model/use-trial-draft.ts';
import { contentOf, keyOf, ownersOf, renamedRef, renamePlan, renameRequest, type PartOwner, type RenamePlan } from './rename-plan.ts';

/** Objects that one rename changes at most; more are a task for svcctl. */
const REFERRERS_MAX = 500;
const PAGE_SIZE = 250;
/** Objects read for each kind that uses names of parts of one object. */
const USERS_MAX = 2_000;
/** Writes to statuses between reading and writing, such as of missing references, count as changes of an object. */
const RETRIES_MAX = 4;

export interface Renamable {
  readonly object: Resource;
  readonly holders: readonly Resource[];
  /** Systems in which it is an agent. */
  readonly owners: readonly PartOwner[];
  readonly planFor: (to: string) => RenamePlan;
  /** More objects may use the name in a system than were read. */
  readonly unread: boolean;
}

async function holdersOf(key: ResourceKey, signal?: AbortSignal): Promise<readonly ResourceKey[]> {
  const found: ResourceKey[] = [];
  let after: string | undefined;
  do {
    const input = { kind: key.kind, namespace: key.namespace, name: key.name, limit: PAGE_SIZE, ...(after !== undefined && { after }) };
    const page = await client.resources.referrers.query(input, { ...(signal && { signal }) });
    if (page.incomplete) throw new ServiceError('unavailable', 'The server still builds the index of references; try again in a moment.');
    found.push(...page.items);
    after = page.continue;
  } while (after !== undefined && found.length <= REFERRERS_MAX);
  if (found.length > REFERRERS_MAX)
    throw new ServiceError('too_large', `More than ${REFERRERS_MAX} objects refer to ${key.name}; this command changes at most that many.`);
  return found;
}

/** A referrer that was deleted meanwhile refers to nothing. */
async function readIfThere({ kind, namespace, name }: ResourceKey): Promise<Resource[]> {
  try {
    return [await client.resources.get.query({ kind, namespace, name })];
  } catch (error) {
    if (problemOf(error).code === 'not_found') return [];
    throw error;
  }
}

interface Found {
  readonly items: readonly Resource[];
  readonly more: boolean;
}

async function listed(
  selection: { readonly kind: string; readonly namespace?: string; readonly fieldSelector: string },
  signal?: AbortSignal,
) {
  const items: Resource[] = [];
  let after: string | undefined;
  do {
    const input = { ...selection, limit: PAGE_SIZE, ...(after !== undefined && { after }) };
    const page = await client.resources.list.query(input, { ...(signal && { signal }) });
    items.push(...page.items);
    after = page.continue;
  } while (after !== undefined && items.length < USERS_MAX);
  return { items, more: after !== undefined };
}

/** Objects that may name parts of the owners, as Sessions name agents of their system. */
async function usersOf(owners: readonly PartOwner[], kinds: readonly KindDefinition[], signal?: AbortSignal): Promise<Found> {
  const selections = kinds.flatMap(({ kind, partNames }) =>
    partNames === undefined
      ? []
      : owners.flatMap(({ key: { namespace, name } }) => {
          const select = (ref: string) => `spec.${partNames.of}=${ref}`;
          // A reference of another namespace names that of the owner.
          return [
            { kind, namespace, fieldSelector: select(name) },
            { kind, fieldSelector: select(`${namespace}/${name}`) },
          ];
        }),
  );
  const found = await Promise.all(selections.map((selection) => listed(selection, signal)));
  return { items: found.flatMap(({ items }) => items), more: found.some(({ more }) => more) };
}

/** The object and everything that refers to it, as it is now. */
export async function readRenamable(key: ResourceKey, signal?: AbortSignal): Promise<Renamable> {
  const { kind, namespace, name } = key;
  const [{ kinds, kindByName }, object, referrers] = await Promise.all([
    loadDefinitions(),
    client.resources.get.query({ kind, namespace, name }),
    holdersOf(key, signal),
  ]);
  const holders = (await Promise.all(referrers.map(readIfThere))).flat();
  const owners = ownersOf(holders, keyOf(object), kindByName);
  const users = await usersOf(owners, kinds, signal);
  const context = { holders, users: users.items, definitionOf: kindByName };
  return { object, holders, owners, planFor: (to) => renamePlan(object, { ...context, to }), unread: users.more };
}

/** Trials that this browser keeps name the agents of their systems. */
async function renameInTrials({ owners }: Renamable, to: string): Promise<void> {
  for (const { key, names } of owners)
    await renameInKeptTrial(key.namespace, key.name, new Map(names.map((name) => [name, renamedRef(name, to)])));
}

/** Resolves with undefined once it is written, or with the objects as they are now if others changed one of them since. */
export async function writeRename(reviewed: Renamable, to: string): Promise<Renamable | undefined> {
  const { kind, metadata } = reviewed.object;
  let current = reviewed;
  for (let tries = 0; ; tries += 1) {
    try {
      await client.resources.applyAll.mutate(renameRequest(current.planFor(to)));
      await renameInTrials(current, to);
      return undefined;
    } catch (error) {
      const problem = problemOf(error);
      const [name] = problem.details.filter(({ path }) => path === 'documents[0]');
      if (problem.code !== 'conflict' || name || tries >= RETRIES_MAX) throw error;
      current = await readRenamable({ kind, namespace: metadata.namespace, name: metadata.name });
      if (contentOf(current.planFor(to)) !== contentOf(reviewed.planFor(to))) return current;
    }
  }
}
