// Lists of a caller's tasks, the last changed first, by a cursor.
import type { Store } from '../../store/store.ts';
import type { AgentTask } from '../model.ts';
import { RpcError } from '../rpc/errors.ts';
import { listEntries, ownerOf, type IndexEntry, type Scope } from './records.ts';
import type { AgentCall, ListQuery, TaskPage } from './task-service.ts';
import { seeLatest } from './view.ts';

/** Entries that one list reads at most; tasks beyond it are on the next page. */
const SCAN_MAX = 1_000;
/**
 * Characters of the JSON of the tasks that one page and one count read, those of other states included, which the last task may pass: a page may have
 * fewer tasks then, and the count too.
 */
const READ_MAX_CHARS = 4 * 1024 * 1024;
/** Tasks that a count reads at a time. */
const READS_AT_ONCE = 16;
const TOKEN = /^\d{15}\/[0-9a-f-]{36}\/\d{10}$/;

export async function listTasks({ store }: { readonly store: Store }, call: AgentCall, query: ListQuery): Promise<TaskPage> {
  const { contextId, state, pageSize, pageToken, changedAfter } = query;
  if (pageToken !== '' && !TOKEN.test(pageToken)) throw new RpcError('INVALID_PARAMS', 'pageToken is not one of an earlier answer');
  const { identity } = call.context;
  const scope = { owner: ownerOf(identity), systemUid: call.system.uid, contextId };
  // Callers without a name share one owner: the id of a context stands for the caller.
  if (identity.name === '' && contextId === undefined) return { tasks: [], nextPageToken: '', totalSize: 0 };
  const tasks: AgentTask[] = [];
  let chars = 0;
  const entries = await listEntries(store, scope, { after: pageToken, limit: SCAN_MAX });
  let last: IndexEntry | undefined;
  for (const entry of entries) {
    if (tasks.length >= pageSize || chars >= READ_MAX_CHARS || (changedAfter !== undefined && entry.changedAt < changedAfter)) break;
    last = entry;
    const task = await readTask(store, entry);
    if (!task) continue;
    chars += charsOf(task);
    if (state === undefined || task.state === state) tasks.push(task);
  }
  const read = last === undefined ? 0 : entries.indexOf(last) + 1;
  const next = read < entries.length ? entries[read] : undefined;
  const isPast = next !== undefined && changedAfter !== undefined && next.changedAt < changedAfter;
  const more = last !== undefined && (next === undefined ? entries.length === SCAN_MAX : !isPast);
  return {
    tasks,
    nextPageToken: more ? (last?.position ?? '') : '',
    totalSize: await countTasks(store, scope, query),
  };
}

const charsOf = (task: AgentTask): number => JSON.stringify(task).length;

/** Undefined when its run is gone. */
async function readTask(store: Store, { key }: IndexEntry): Promise<AgentTask | undefined> {
  return (await seeLatest(store, key))?.seen?.task;
}

/** Counts among the first SCAN_MAX entries, on later pages too. A state is read from the run of each task. */
async function countTasks(store: Store, scope: Scope, { state, changedAfter = 0 }: ListQuery): Promise<number> {
  const entries = (await listEntries(store, scope, { after: '', limit: SCAN_MAX })).filter(({ changedAt }) => changedAt >= changedAfter);
  if (state === undefined) return entries.length;
  let count = 0;
  let chars = 0;
  for (let at = 0; at < entries.length && chars < READ_MAX_CHARS; at += READS_AT_ONCE) {
    const tasks = await Promise.all(entries.slice(at, at + READS_AT_ONCE).map((entry) => readTask(store, entry)));
    count += tasks.filter((task) => task?.state === state).length;
    chars += tasks.reduce((sum, task) => sum + (task ? charsOf(task) : 0), 0);
  }
  return count;
}
