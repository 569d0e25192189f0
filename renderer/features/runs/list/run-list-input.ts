// Search parameters of the run list, and the request to the server that follows. Pure.
import type { SearchState } from '../../../navigation/search-state.ts';
import { choiceParam, listParam, textParam, typedParam } from '../../../navigation/search-state.ts';
import type { ListInput } from '../../../live/list-selectors.ts';
import { isExact, outcomeSelector, RUN_OUTCOMES } from '../model/run-outcomes.ts';
import { durationOf, isTemplate, outcomeOf, phaseOf, TASK, type Run } from '../model/run.ts';

/** Orders of the server. */
const RUN_ORDERS = [
  ...(['-createdAt', 'createdAt', 'name', '-name', 'phase', '-phase', 'system', '-system'] as const),
  ...(['completedAt', '-completedAt', 'duration', '-duration', 'tokens', '-tokens', 'cost', '-cost'] as const),
] as const;

export const RUN_LIST_PARAMS = {
  /** Outcomes: phases, and Cancelled and Denied. */
  phase: listParam,
  system: textParam,
  labels: textParam,
  /** Words of name, input, output or error. */
  q: typedParam,
  mode: choiceParam(['runs', 'templates', 'all']),
  sort: choiceParam(RUN_ORDERS),
  worker: textParam,
  reason: textParam,
  priority: textParam,
  /** Runs for the design of a system: alone, or left out. */
  trial: choiceParam(['', 'only', 'none']),
  /** Running for at least this long. */
  lasting: choiceParam(['', '1h']),
  /** Ended since this time. */
  ended: choiceParam(['', 'today']),
};

export type RunListState = SearchState<typeof RUN_LIST_PARAMS>;

/** Default values of all filters in the address. */
export const NO_FILTERS = {
  phase: [],
  system: '',
  labels: '',
  q: '',
  worker: '',
  reason: '',
  priority: '',
  trial: '',
  lasting: '',
  ended: '',
} as const satisfies Partial<RunListState>;

const RUN_PAGE_SIZE = 200;

/** Request to the server. A search has one order, newest first. */
export function runListInput(state: RunListState, namespace: string | undefined): ListInput {
  const fieldSelector = runSelector(state);
  const searches = state.q !== '';
  return {
    kind: TASK,
    ...(namespace !== undefined && { namespace }),
    ...(state.labels !== '' && { labelSelector: state.labels }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(searches && { q: state.q }),
    order: searches ? '-createdAt' : state.sort,
    limit: RUN_PAGE_SIZE,
  };
}

/** Field selector of runs by outcome, mode, system and purpose; undefined without a filter. */
export function runSelector({ phase, mode, system, trial }: Pick<RunListState, 'phase' | 'mode' | 'system' | 'trial'>): string | undefined {
  const outcomes = outcomeSelector(phase);
  const all = [
    ...(outcomes === undefined ? [] : [outcomes]),
    ...(modeSelector(mode, phase) ?? []),
    ...(system === '' ? [] : [`spec.system=${system}`]),
    ...(trial === '' ? [] : [`status.trial${trial === 'only' ? '=' : '!='}true`]),
  ];
  return all.length === 0 ? undefined : all.join(',');
}

/** Templates are pending, so other outcomes need not rule them out: a count by one field is read from the index alone. */
function modeSelector(mode: RunListState['mode'], phase: readonly string[]): readonly string[] | undefined {
  if (mode === 'templates') return ['spec.mode=template'];
  return mode === 'runs' && phase.length === 1 && phase[0] === 'Pending' ? ['spec.mode=run'] : undefined;
}

const HOUR_MS = 3_600_000;

/** Midnight of the day of `now`, in this browser's zone. */
function startOfDay(now: number): number {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** Whether a loaded run is shown: filters that the server cannot select by. */
export function isShown(run: Run, state: RunListState, now: number): boolean {
  const { phase, mode, worker, reason, priority, lasting, ended } = state;
  const outcomes = phase.filter((each) => RUN_OUTCOMES.includes(each));
  if (outcomes.length > 0 && !outcomes.includes(outcomeOf(run))) return false;
  if (mode !== 'all' && isTemplate(run) !== (mode === 'templates')) return false;
  if (worker !== '' && run.status.assignedWorker !== worker) return false;
  if (reason !== '' && run.status.reason !== reason) return false;
  if (priority !== '' && run.spec.priority !== priority) return false;
  if (lasting === '1h' && (phaseOf(run) !== 'Running' || (durationOf(run, now) ?? 0) < HOUR_MS)) return false;
  if (ended === 'today' && !(Date.parse(run.status.completedAt ?? '') >= startOfDay(now))) return false;
  return true;
}

/** Whether the server's counts are not those of the list: rows are hidden here, or the list is a search. */
export function filtersHere({ phase, worker, reason, priority, lasting, ended, q }: RunListState): boolean {
  return !isExact(phase) || [worker, reason, priority, lasting, ended, q].some((each) => each !== '');
}

/** Whether any filter is set. */
export function isFiltered(state: RunListState): boolean {
  return filtersHere(state) || state.phase.length > 0 || state.system !== '' || state.trial !== '' || state.labels !== '';
}
