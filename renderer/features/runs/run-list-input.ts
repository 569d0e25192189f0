// What the address of the run list says, and what is asked of the server for it. Pure.
import type { SearchState } from '../../app/search-state.ts';
import { choiceParam, listParam, textParam } from '../../app/search-state.ts';
import { durationOf, isTemplate, phaseOf, RUN_PHASES, TASK, type Run } from './run.ts';

export const RUN_LIST_PARAMS = {
  phase: listParam,
  system: textParam,
  labels: textParam,
  /** The beginning of a name. */
  q: textParam,
  mode: choiceParam(['runs', 'templates', 'all']),
  sort: choiceParam(['-createdAt', 'createdAt', 'name']),
  worker: textParam,
  reason: textParam,
  priority: textParam,
  /** Running for at least this long. */
  lasting: choiceParam(['', '1h']),
  /** Ended since this moment. */
  ended: choiceParam(['', 'today']),
};

export type RunListState = SearchState<typeof RUN_LIST_PARAMS>;

/** Everything that narrows the list, as the address has it when nothing does. */
export const NO_FILTERS = {
  phase: [],
  system: '',
  labels: '',
  q: '',
  worker: '',
  reason: '',
  priority: '',
  lasting: '',
  ended: '',
} as const satisfies Partial<RunListState>;

export interface RunListInput {
  readonly kind: 'Task';
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly order: '-createdAt' | 'createdAt' | 'name';
  readonly limit: number;
}

export const RUN_PAGE_SIZE = 200;

/** Selectors can only be joined by "and": one phase is asked for, several are what is left when all others are ruled out. */
export function fieldSelectorOf({ phase, system }: Pick<RunListState, 'phase' | 'system'>): string | undefined {
  const known = RUN_PHASES.filter((each) => phase.includes(each));
  const phases =
    known.length === 0 || known.length === RUN_PHASES.length
      ? []
      : known.length === 1
        ? [`status.phase=${known[0]}`]
        : RUN_PHASES.filter((each) => !known.includes(each)).map((each) => `status.phase!=${each}`);
  const all = [...phases, ...(system === '' ? [] : [`spec.system=${system}`])];
  return all.length === 0 ? undefined : all.join(',');
}

/** What the server is asked for. A search by name goes in the order of names, so that it is one range of them. */
export function runListInput(state: RunListState, namespace: string | undefined): RunListInput {
  const fieldSelector = fieldSelectorOf(state);
  const byName = state.q !== '' && namespace !== undefined;
  return {
    kind: TASK,
    ...(namespace !== undefined && { namespace }),
    ...(state.labels !== '' && { labelSelector: state.labels }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    order: byName ? 'name' : state.sort,
    limit: RUN_PAGE_SIZE,
  };
}

const NAME_CHARACTERS = '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const NAME_MAX_CHARS = 253;

/** A name before all that begin with `prefix` and after nearly all others: where a list by name begins for it. Undefined: at the start. */
export function nameBefore(prefix: string): string | undefined {
  const last = prefix.at(-1);
  if (last === undefined) return undefined;
  const at = NAME_CHARACTERS.indexOf(last);
  if (at < 0) return undefined;
  const head = prefix.slice(0, -1);
  if (at === 0) return head === '' ? undefined : /[A-Za-z0-9]$/.test(head) ? head : nameBefore(head);
  const lower = NAME_CHARACTERS.slice(0, at);
  const before = head === '' ? lower.replace(/[^A-Za-z0-9]/g, '').at(-1) : lower.at(-1);
  return before === undefined ? undefined : `${head}${before}`.padEnd(NAME_MAX_CHARS, 'z');
}

const HOUR_MS = 3_600_000;

/** Midnight of the day `now` falls on, where this browser is. */
export function startOfDay(now: number): number {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** Whether a run that was read is one to show: what the server cannot select by. */
export function isShown(run: Run, state: RunListState, now: number): boolean {
  const { mode, q, worker, reason, priority, lasting, ended } = state;
  if (mode !== 'all' && isTemplate(run) !== (mode === 'templates')) return false;
  if (q !== '' && !run.metadata.name.startsWith(q)) return false;
  if (worker !== '' && run.status.assignedWorker !== worker) return false;
  if (reason !== '' && run.status.reason !== reason) return false;
  if (priority !== '' && String(run.spec.priority) !== priority) return false;
  if (lasting === '1h' && (phaseOf(run) !== 'Running' || (durationOf(run, now) ?? 0) < HOUR_MS)) return false;
  if (ended === 'today' && !(Date.parse(run.status.completedAt ?? '') >= startOfDay(now))) return false;
  return true;
}

/** Whether rows are left out that the server has sent: then the number of rows is not the server's. */
export function filtersHere({ worker, reason, priority, lasting, ended, q }: RunListState): boolean {
  return [worker, reason, priority, lasting, ended, q].some((each) => each !== '');
}

/** Whether the person has narrowed the list at all. */
export function isFiltered(state: RunListState): boolean {
  return filtersHere(state) || state.phase.length > 0 || state.system !== '' || state.labels !== '';
}

/** What the pages read so far hold, and whether reading on can bring more: in the order of names, not once the prefix is behind. */
export function moreToRead(last: Run | undefined, state: RunListState, hasNext: boolean): boolean {
  if (!hasNext || state.q === '' || last === undefined) return hasNext;
  const { name } = last.metadata;
  return name < state.q || name.startsWith(state.q);
}
