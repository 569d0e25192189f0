// Triggers whose template or Secret came, changed or went: their status follows in work items, page by page, however many they are. The write of the
// template holds no row of theirs.
import type { Resource, ResourceKey } from '@svc/shared/resource';
import type { Clock } from '../clock.ts';
import type { KindHooks } from '../registry/registry.ts';
import { Collection } from '../store/collection.ts';
import type { ListQuery, StoredObject, StoreReader, StoreTransaction, WorkItem } from '../store/store.ts';
import { isTemplate } from './create-run.ts';

export const RECHECK_QUEUE = 'trigger.recheck';
/** Position of a recheck between its pages; the id is the key of its work item. */
const POSITIONS = new Collection<Position>('trigger.recheck');
/** Triggers of one transaction, which holds their rows. */
const PAGE = 50;

type Step = Pick<ListQuery, 'kind' | 'namespace' | 'fields' | 'references'>;

interface Position {
  readonly step: number;
  readonly after?: { readonly namespace: string; readonly name: string };
}

/** Lists that hold every trigger of an object. */
function stepsOf({ kind, namespace, name }: ResourceKey): readonly Step[] {
  if (kind === 'Secret') return [{ kind: 'TaskWebhook', references: { kind, namespace, name } }];
  return (['TaskSchedule', 'TaskWebhook'] as const).flatMap((trigger): Step[] => {
    const named = (value: string) => [{ path: 'spec.task_ref', op: 'eq', value }] as const;
    return [
      { kind: trigger, namespace, fields: named(name) },
      { kind: trigger, fields: named(`${namespace}/${name}`) },
    ];
  });
}

/** Leaves a work item in the transaction of the change, if the object has a trigger. */
async function requestRecheck(tx: StoreTransaction, { kind, metadata }: Resource, change: string): Promise<void> {
  const { uid, namespace, name } = metadata;
  if (!(await hasTriggers(tx, { kind, namespace, name }))) return;
  // A key of its own for each change: an item that is claimed already has perhaps passed some triggers.
  const key = `${kind}/${uid}/${change}`;
  await tx.enqueueWork({ queue: RECHECK_QUEUE, key, namespace, name, rank: 0, notBefore: 0, requirements: {} });
}

async function hasTriggers(reader: StoreReader, key: ResourceKey): Promise<boolean> {
  for (const step of stepsOf(key)) if ((await reader.listObjects({ ...step, limit: 1 })).length > 0) return true;
  return false;
}

/** Hooks of the kinds that the phase of a trigger depends on. */
export function createRecheckHooks(): (readonly [kind: string, hooks: KindHooks])[] {
  const changed = (tx: StoreTransaction, resource: Resource) => requestRecheck(tx, resource, String(resource.metadata.resourceVersion));
  const deleted = (tx: StoreTransaction, resource: Resource) => requestRecheck(tx, resource, 'deleted');
  const templates: KindHooks = {
    async onCreated(tx, task) {
      if (isTemplate(task)) await changed(tx, task);
    },
    async onUpdated(tx, task, { previous }) {
      if (isTemplate(task) !== isTemplate(previous)) await changed(tx, task);
    },
    async onDeleted(tx, task) {
      if (isTemplate(task)) await deleted(tx, task);
    },
  };
  const secrets: KindHooks = {
    onCreated: changed,
    async onUpdated(tx, secret, { previous }) {
      if (secret.metadata.generation !== previous.metadata.generation) await changed(tx, secret);
    },
    onDeleted: deleted,
  };
  return [
    ['Task', templates],
    ['Secret', secrets],
  ];
}

export interface RecheckDeps {
  readonly clock: Clock;
  /** Requests the status of a trigger. */
  readonly wake: (tx: StoreTransaction, trigger: StoredObject, now: number) => Promise<void>;
}

/** Handler of RECHECK_QUEUE: one page. */
export async function recheckTriggers({ clock, wake }: RecheckDeps, tx: StoreTransaction, item: WorkItem) {
  const [kind = ''] = item.key.split('/', 1);
  const steps = stepsOf({ kind, namespace: item.namespace, name: item.name });
  const now = clock.now();
  let left = PAGE;
  let position = (await POSITIONS.get(tx, item.key)) ?? { step: 0 };
  for (let step = steps[position.step]; step && left > 0; step = steps[position.step]) {
    const page = await tx.listObjects({ ...step, ...(position.after && { after: position.after }), limit: left });
    for (const trigger of page) await wake(tx, trigger, now);
    const last = page.at(-1);
    position =
      last && page.length === left ? { ...position, after: { namespace: last.namespace, name: last.name } } : { step: position.step + 1 };
    left -= page.length;
  }
  if (position.step < steps.length) {
    await POSITIONS.put(tx, item.key, position);
    return { againAt: now };
  }
  await POSITIONS.remove(tx, item.key);
  return undefined;
}
