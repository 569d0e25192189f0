// Finished objects of one namespace as retention reads them: index ranges in order of creation, counts of index rows, what keeps an object.
import { statusOf } from '@svc/shared/kinds/read';
import { SESSION_TERMINAL_PHASES } from '@svc/shared/kinds/session/schema';
import { TASK_APPROVAL_PHASES } from '@svc/shared/kinds/task-approval/schema';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import { TOOL_APPROVAL_PHASES } from '@svc/shared/kinds/tool-approval/schema';
import type { LabelRequirement } from '@svc/shared/labels';
import { parseRef } from '@svc/shared/resource';
import { approvalSpec, approvalStatus, TASK_APPROVAL, TOOL_APPROVAL } from '../../engine/approvals/approval-kind.ts';
import type { ListCursor } from '../../store/list-order.ts';
import type { StoredObject, StoreReader } from '../../store/store.ts';
import { eachObject } from '../../store/each-object.ts';

const PAGE_SIZE = 50;

/** Objects that a retention bounds. */
export interface RetentionSubject {
  readonly kind: string;
  readonly labels?: readonly LabelRequirement[];
  /** Finished phases. */
  readonly phases: readonly string[];
  readonly completedAt: (object: StoredObject) => string | undefined;
  /** Whether the object stays whatever the limits say, for now. */
  readonly isNeeded: (store: StoreReader, object: StoredObject) => Promise<boolean>;
  /** Time until an object that is needed is examined again. Default a minute. */
  readonly neededMs?: number;
}

export const TASKS: RetentionSubject = {
  kind: 'Task',
  phases: TASK_TERMINAL_PHASES,
  completedAt: (task) => statusOf('Task', task).completedAt,
  isNeeded: awaitsDecision,
};

const HOUR_MS = 3_600_000;

/** Approvals that nobody can decide any longer. Each stays as long as a Task of its name. */
export const APPROVALS: readonly RetentionSubject[] = [
  { kind: TOOL_APPROVAL, phases: TOOL_APPROVAL_PHASES },
  { kind: TASK_APPROVAL, phases: TASK_APPROVAL_PHASES },
].map(({ kind, phases }) => ({
  kind,
  phases: phases.filter((phase) => phase !== 'Pending'),
  completedAt: (approval) => approvalStatus(approval).decided_at,
  isNeeded: hasTask,
  neededMs: HOUR_MS,
}));

/** Ended Sessions besides those of chat requests and A2A, which have their own limits. */
export const SESSIONS: RetentionSubject = {
  kind: 'Session',
  labels: [{ key: 'svc.dev/created-by', op: 'notin', values: ['chat', 'a2a'] }],
  phases: SESSION_TERMINAL_PHASES,
  completedAt: (session) => statusOf('Session', session).completedAt,
  isNeeded: () => Promise.resolve(false),
};

/** Kind and namespace to read. */
export interface FinishedRange {
  readonly subject: RetentionSubject;
  readonly namespace: string;
}

const inPhase = ({ subject: { kind, labels }, namespace }: FinishedRange, phase: string) => ({
  kind,
  namespace,
  ...(labels && { labels }),
  fields: [{ path: 'status.phase', op: 'eq', value: phase }] as const,
});

/** Oldest first, over all finished phases. Reads a page of each phase ahead and no more. */
export async function* finishedObjects(
  store: StoreReader,
  finished: FinishedRange,
  after?: ListCursor,
): AsyncGenerator<StoredObject, void> {
  const { phases } = finished.subject;
  const ranges = phases.map((phase) =>
    eachObject(store, { ...inPhase(finished, phase), order: 'createdAt', ...(after && { after }) }, PAGE_SIZE),
  );
  let heads = await Promise.all(ranges.map(headOf));
  for (;;) {
    const [first] = heads.filter((head) => head !== undefined).sort(byCreation);
    if (!first) return;
    yield first.object;
    const next = await headOf(first.from);
    heads = heads.map((head) => (head === first ? next : head));
  }
}

interface Head {
  readonly object: StoredObject;
  /** Where the next one comes from. */
  readonly from: AsyncGenerator<StoredObject, void>;
}

async function headOf(from: Head['from']): Promise<Head | undefined> {
  const { value } = await from.next();
  return value ? { object: value, from } : undefined;
}

/** Names are ASCII, so text order is the index's. */
function byCreation({ object: a }: Head, { object: b }: Head): number {
  if (a.createdAt === b.createdAt) return a.name < b.name ? -1 : 1;
  return a.createdAt < b.createdAt ? -1 : 1;
}

export interface FinishedCount {
  /** Counting stops here in each phase. */
  readonly max: number;
  /** Only those that were created after this one. */
  readonly after?: StoredObject | undefined;
}

/** Counts index rows. */
export async function countFinished(store: StoreReader, finished: FinishedRange, { max, after }: FinishedCount): Promise<number> {
  const { phases } = finished.subject;
  const query = { max, ...(after && { after }) };
  const counts = await Promise.all(phases.map((phase) => store.countObjects({ ...inPhase(finished, phase), ...query })));
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Whether somebody can still decide about this Task, or about another run of its name. */
async function awaitsDecision(store: StoreReader, { namespace, name }: StoredObject): Promise<boolean> {
  const fields = [
    { path: 'spec.task_ref', op: 'eq', value: name },
    { path: 'status.phase', op: 'eq', value: 'Pending' },
  ] as const;
  for (const kind of [TOOL_APPROVAL, TASK_APPROVAL])
    if ((await store.listObjects({ kind, namespace, fields, limit: 1 })).length > 0) return true;
  return false;
}

async function hasTask(store: StoreReader, approval: StoredObject): Promise<boolean> {
  const task = { kind: 'Task', ...parseRef(approvalSpec(approval).task_ref, approval.namespace) };
  return (await store.getObject(task)) !== undefined;
}
