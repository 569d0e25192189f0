// Log lines of an agent over the newest Tasks of its namespace. Tasks are read page by page: the journal is ordered by run, not by agent.
import { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import { formatCursor, parseCursor } from '../../registry/cursor.ts';
import { PAGE_MAX_BYTES } from '../../store/page-bytes.ts';
import type { ListCursor } from '../../store/list-order.ts';
import type { Store } from '../../store/store.ts';
import { PAGE_ITEMS_MAX } from '../core/limits.ts';
import type { ObjectRef } from './run-service.ts';
import { createLogLines } from '../views/logs.ts';
import { readEntriesInPortions } from '../views/read-journal.ts';

/** Tasks searched for one page, newest first. */
const TASKS_PER_PAGE = 50;
const ORDER = '-createdAt';

/** `after` is the `continue` of the page before: the place of the last searched Task. */
export async function agentLogs(store: Store, agent: ObjectRef, after: string | undefined): Promise<JsonObject> {
  const { namespace, name } = agent;
  const cursor = after === undefined || after === '' ? undefined : placeOf(after, namespace);
  const query = { kind: 'Task', namespace, limit: TASKS_PER_PAGE, order: ORDER, ...(cursor && { after: cursor }) } as const;
  const { objects: tasks, full } = await store.listPage(query, PAGE_MAX_BYTES);
  const logs: string[] = [];
  for (const [index, task] of tasks.entries()) {
    logs.push(...(await linesOf(store, task.uid, name)).map((line) => `${line} task=${task.name}`));
    if (logs.length >= PAGE_ITEMS_MAX && index < tasks.length - 1) return { name, logs, continue: formatCursor(task, ORDER) };
  }
  const last = tasks.at(-1);
  return { name, logs, ...((full || tasks.length === TASKS_PER_PAGE) && last && { continue: formatCursor(last, ORDER) }) };
}

function placeOf(after: string, namespace: string): ListCursor {
  const place = parseCursor(after, namespace);
  if (place.namespace === namespace && place.createdAt !== undefined) return place;
  throw new ServiceError(
    'invalid',
    `"${after.slice(0, 100)}" is not a cursor of these logs: after takes the "continue" value of the previous page`,
  );
}

async function linesOf(store: Store, stream: string, agent: string): Promise<string[]> {
  const lines = createLogLines();
  const found: string[] = [];
  for await (const { entry } of readEntriesInPortions(store, stream)) {
    found.push(...lines(entry).flatMap((line) => (line.agent === agent ? [line.text] : [])));
  }
  return found;
}
