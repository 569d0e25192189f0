// `svcctl approvals list`: once, or as they change.
import type { Resource } from '@svc/shared/resource';
import { approvalDefinitions, approvalStatus, listApprovals, type ApprovalKind } from '../api/approval-objects.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { APPROVAL_DROPS, approvalHeader, approvalRow, type ApprovalLayout } from '../output/approval-view.ts';
import { resourceName, resourceYaml } from '../output/resources.ts';
import { FittedTable } from '../output/table.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';
import { watchObjects } from '../api/watch-objects.ts';

interface ListOptions {
  readonly all?: boolean | undefined;
  readonly task?: string | undefined;
  readonly kind?: ApprovalKind | undefined;
  readonly watch?: boolean | undefined;
}

export async function listOrWatch(invocation: Invocation, options: ListOptions): Promise<void> {
  return options.watch ? watch(invocation, options) : list(invocation, options);
}

const layoutOf = (invocation: Invocation, phases: boolean): ApprovalLayout => ({
  namespaces: invocation.allNamespaces,
  phases,
  nowMs: Date.now(),
  style: invocation.style,
});

async function list(invocation: Invocation, { all, task, kind }: ListOptions): Promise<void> {
  const { client, namespace } = await invocation.connect();
  const format = invocation.format(['table', 'wide', 'json', 'yaml', 'name']);
  const approvals = await listApprovals(client, { namespace: invocation.allNamespaces ? '*' : namespace, kind, all, task });
  if (format === 'json') return invocation.out(JSON.stringify(approvals, null, 2));
  if (format === 'yaml') return invocation.out(approvals.map(resourceYaml).join('\n---\n'));
  if (format === 'name') return invocation.list(approvals.map(resourceName));
  const where = invocation.where(namespace);
  if (approvals.length === 0) return invocation.note(all ? `No approvals in ${where}.` : `Nothing waits for a decision in ${where}.`);
  const layout = layoutOf(invocation, all === true);
  const rows = approvals.map((approval) => approvalRow(approval, layout));
  invocation.table(approvalHeader(layout), rows, { wide: format === 'wide', drop: APPROVAL_DROPS });
}

/** Its last state says that it waits, and it does no longer. */
const gone = (approval: Resource): Resource => ({ ...approval, status: { ...approval.status, phase: 'Deleted' } });

/** One line for each that waits, then one for each change; both kinds at once. */
async function watch(invocation: Invocation, { all, task, kind }: ListOptions): Promise<void> {
  if (task !== undefined) throw usageError('-w cannot be combined with --task');
  const { client, namespace } = await invocation.connect();
  const format = invocation.format(['table', 'wide', 'json', 'name']);
  const wide = format === 'wide';
  const layout = layoutOf(invocation, true);
  const table = new FittedTable(approvalHeader(layout), {
    columns: wide ? undefined : invocation.terminal.stdout.columns,
    drop: APPROVAL_DROPS,
  });
  /** Shown as pending, so that their end is shown too. */
  const shown = new Set<string>();
  const printOne = (approval: Resource) => {
    const { uid } = approval.metadata;
    const pending = approvalStatus(approval).phase === 'Pending';
    if (!all && !pending && !shown.has(uid)) return;
    if (pending) shown.add(uid);
    else shown.delete(uid);
    if (format === 'json') return invocation.out(JSON.stringify(approval));
    if (format === 'name') return invocation.out(resourceName(approval));
    const row = approvalRow(approval, layoutOf(invocation, true));
    table.measure([row]);
    invocation.out(table.line(row));
  };
  await untilInterrupted(invocation.terminal, async (signal) => {
    const follow = approvalDefinitions(kind).map(async (definition) => {
      const onLost = (error: Error) => invocation.warn(`${error.message}; reconnecting`);
      const events = watchObjects(client, definition, { namespace: invocation.allNamespaces ? '*' : namespace, signal, onLost });
      for await (const event of events)
        if (event.type === 'item') printOne(event.item.type === 'deleted' ? gone(event.item.resource) : event.item.resource);
    });
    await Promise.all(follow);
  });
}
