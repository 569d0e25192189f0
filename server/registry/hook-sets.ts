// Hooks of each kind: every registered set runs, in the order of registration. Registering a kind twice adds a set and replaces none.
import type { Resource } from '@svc/shared/resource';
import type { KindHooks } from './registry.ts';

/** Registrations of hooks; a kind may appear more than once. A Map with one set per kind also satisfies this type. */
export type HookRegistrations = Iterable<readonly [kind: string, hooks: KindHooks]>;

/** Combined hooks by kind; kinds without hooks are absent. */
export type HookTable = ReadonlyMap<string, KindHooks>;

export function createHookTable(registrations: HookRegistrations): HookTable {
  const byKind = new Map<string, KindHooks[]>();
  for (const [kind, hooks] of registrations) byKind.set(kind, [...(byKind.get(kind) ?? []), hooks]);
  return new Map([...byKind].map(([kind, sets]) => [kind, inOrder(sets)]));
}

/** Each set receives the object as stored by the write, without status changes of earlier sets. The first throw ends the write. */
function inOrder(sets: readonly KindHooks[]): KindHooks {
  const [only, second] = sets;
  if (only && !second) return only;
  const expanding = sets.filter(({ expandStatus }) => expandStatus);
  return {
    writtenStatus: (...args) =>
      Object.assign({}, ...sets.map(({ writtenStatus }) => writtenStatus?.(...args))) as Readonly<Record<string, unknown>>,
    async admit(...args) {
      const status: Record<string, unknown> = {};
      for (const { admit } of sets) Object.assign(status, await admit?.(...args));
      return status;
    },
    async warn(...args) {
      const warnings: string[] = [];
      for (const { warn } of sets) warnings.push(...((await warn?.(...args)) ?? []));
      return warnings;
    },
    async onCreated(...args) {
      for (const { onCreated } of sets) await onCreated?.(...args);
    },
    async onUpdated(...args) {
      for (const { onUpdated } of sets) await onUpdated?.(...args);
    },
    async onDeleted(...args) {
      for (const { onDeleted } of sets) await onDeleted?.(...args);
    },
    ...(expanding.length > 0 && { expandStatus: (resource) => expandInOrder(expanding, resource) }),
  };
}

/** A later set sees, and may replace, the fields of the sets before it. */
async function expandInOrder(sets: readonly KindHooks[], resource: Resource): Promise<Resource['status']> {
  let { status } = resource;
  for (const { expandStatus } of sets) status = { ...status, ...(await expandStatus?.({ ...resource, status })) };
  return status;
}
