// Requests of people about an experiment: its results, a rating, a cancel, and an estimate.
import type { ExperimentEstimate, ExperimentResult, ExperimentResultPage, Rating, Thumb } from '@svc/shared/api/experiments';
import { invalidFields, ServiceError } from '@svc/shared/errors';
import { RATING_NOTE_MAX } from '@svc/shared/kinds/experiment/limits';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { describeKey, type Resource, type NamespacedName } from '@svc/shared/resource';
import { textStart } from '@svc/shared/text-start';
import { timestamp, type Clock } from '../clock.ts';
import { requireRole } from '../registry/authorise.ts';
import { toResource } from '../registry/mapping.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import { recordWritten } from '../registry/written.ts';
import type { Store, StoredObject, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { writeProgress } from './advance.ts';
import { placeOf } from './cells.ts';
import { changeVariant, isOver } from './metrics.ts';
import { wakeExperiment } from './experiment-hooks.ts';
import { estimateExperiment } from './estimate.ts';
import { EXPERIMENT, experimentStates, putRating, readCell, readCells, readRating, type CellRecord } from './records.ts';

export const RESULTS_DEFAULT = 100;
export const RESULTS_MAX = 1_000;
/** Characters of the texts of a page, past which it ends. */
const PAGE_CHARS_MAX = 2_000_000;
const READ_AT_ONCE = 50;

export interface RatingRequest {
  /** Number of the run in the experiment. */
  readonly run: number;
  readonly thumb: Thumb | null;
  readonly note: string | null;
  /** Version of the rating that it replaces; 0: there is none. Another one is `conflict`. */
  readonly version: number;
}

export interface ExperimentService {
  /** In the order of the runs; those that have not begun are left out. */
  results(
    context: RequestContext,
    experiment: NamespacedName,
    page: { readonly after: number; readonly limit: number },
  ): Promise<ExperimentResultPage>;
  rate(context: RequestContext, experiment: NamespacedName, rating: RatingRequest): Promise<Rating>;
  /** No further run begins, those that run are cancelled, results are kept. `conflict` once it is over. */
  cancel(context: RequestContext, experiment: NamespacedName, reason: string | undefined): Promise<Resource>;
  /** `invalid` for a spec that breaks a rule of the kind. Creates nothing. */
  estimate(context: RequestContext, draft: { readonly namespace: string; readonly spec: unknown }): Promise<ExperimentEstimate>;
}

interface Deps {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
}

export function createExperimentService(deps: Deps): ExperimentService {
  return {
    results: (context, name, page) => results(deps, { context, name }, page),
    rate: (context, name, rating) => rate(deps, { context, name }, rating),
    cancel: (context, name, reason) => cancel(deps, { context, name }, reason),
    async estimate(context, draft) {
      requireRole(context, 'reader', 'estimating an experiment');
      return estimateExperiment(deps.store, draft);
    },
  };
}

interface Request {
  readonly context: RequestContext;
  readonly name: NamespacedName;
}

async function results({ store, registry }: Deps, { context, name }: Request, { after, limit }: { after: number; limit: number }) {
  const experiment = await registry.get(context, { kind: EXPERIMENT, ...name });
  const spec = specOf(EXPERIMENT, experiment);
  const { uid } = experiment.metadata;
  const items: ExperimentResult[] = [];
  let chars = 0;
  for (let from = after; ;) {
    const cells = await readCells(store, uid, { after: from, limit: READ_AT_ONCE });
    const phases = await phasesOf(store, name.namespace, cells);
    for (const { run, cell, rating } of cells) {
      const last = items.at(-1)?.run;
      if (last !== undefined && (items.length >= limit || chars >= PAGE_CHARS_MAX)) return { items, continue: String(last) };
      const place = placeOf(spec, run);
      const result = {
        ...{ run, case: spec.cases[place.case]?.name ?? '', variant: spec.variants[place.variant]?.name ?? '', repeat: place.repeat },
        ...shownCell(cell, phases.get(cell.task?.name ?? '')),
        rating: rating ?? null,
      };
      chars += (result.output?.length ?? 0) + (result.error?.length ?? 0) + (rating?.note?.length ?? 0);
      items.push(result);
    }
    const end = cells.at(-1);
    if (!end || cells.length < READ_AT_ONCE) return { items };
    from = end.run;
  }
}

/** Phases of the Tasks of cells that have no outcome yet, by name. */
async function phasesOf(store: Store, namespace: string, cells: readonly { readonly cell: CellRecord }[]): Promise<Map<string, string>> {
  const names = cells.flatMap(({ cell }) => (cell.outcome === undefined && cell.task ? [cell.task.name] : []));
  if (names.length === 0) return new Map();
  const fields = await store.readIndexedFields(names.map((name) => ({ kind: 'Task', namespace, name })));
  return new Map(names.map((name, index) => [name, fields[index]?.['status.phase'] ?? 'Deleted'] as const));
}

function shownCell(cell: CellRecord, phase = 'Pending'): Omit<ExperimentResult, 'run' | 'case' | 'variant' | 'repeat' | 'rating'> {
  return {
    task: cell.task?.name ?? null,
    outcome: cell.outcome ?? phase,
    output: cell.output ?? null,
    output_chars: cell.outputChars ?? 0,
    error: cell.error ?? null,
    tokens: cell.tokens ?? null,
    cost_usd: cell.costUsd ?? null,
    unpriced_calls: cell.unpricedCalls ?? null,
    active_ms: cell.activeMs ?? null,
    completed_at: cell.completedAt ?? null,
  };
}

async function findForUpdate(tx: StoreTransaction, name: NamespacedName): Promise<StoredObject> {
  const key = { kind: EXPERIMENT, ...name };
  const found = await tx.getObjectForUpdate(key);
  if (!found) throw new ServiceError('not_found', `${describeKey(key)} does not exist`);
  return found;
}

function checkRating({ note }: RatingRequest): void {
  const message =
    note !== null && note.length > RATING_NOTE_MAX
      ? `must have at most ${RATING_NOTE_MAX} characters`
      : note?.includes('\0')
        ? 'must not hold U+0000'
        : undefined;
  if (message !== undefined) throw invalidFields('the rating', [{ path: 'note', message }]);
}

/** A rating judges a run, as a decision on an approval does: it takes the same role. */
async function rate({ store, clock }: Deps, { context, name }: Request, request: RatingRequest): Promise<Rating> {
  requireRole(context, 'approver', 'rating a result');
  checkRating(request);
  const { run, thumb, version } = request;
  return transactAgain(store, async (tx) => {
    const experiment = await findForUpdate(tx, name);
    const state = await experimentStates.get(tx, experiment.uid);
    if (!state || !(await readCell(tx, experiment.uid, run)))
      throw new ServiceError('not_found', `${describeKey(experiment)} has no run ${run} that has begun`);
    const before = await readRating(tx, experiment.uid, run);
    if ((before?.version ?? 0) !== version) {
      const found = before ? `${before.by} rated it meanwhile, version ${before.version}` : 'it has no rating';
      throw new ServiceError(
        'conflict',
        `Run ${run} of ${describeKey(experiment)} is not at version ${version} of its rating: ${found}; read it again`,
      );
    }
    const now = clock.now();
    const note = request.note?.trim() ? request.note : null;
    const rating: Rating = { thumb, note, by: context.identity.name, at: timestamp(now), version: version + 1 };
    await putRating(tx, experiment.uid, { run, rating });
    recordWritten(tx, { action: 'experiment.rate', by: context, object: experiment, details: { run, thumb: thumb ?? 'none' } });
    const count = (which: Thumb) => Number(thumb === which) - Number(before?.thumb === which);
    const { variant } = placeOf(specOf(EXPERIMENT, experiment), run);
    const counted = changeVariant(state, variant, (tally) => ({ ...tally, up: tally.up + count('up'), down: tally.down + count('down') }));
    await writeProgress({ tx, experiment, now }, counted);
    return rating;
  });
}

async function cancel({ store, clock }: Deps, { context, name }: Request, reason: string | undefined): Promise<Resource> {
  requireRole(context, 'writer', 'cancelling an experiment');
  const experiment = await transactAgain(store, async (tx) => {
    const found = await findForUpdate(tx, name);
    const state = await experimentStates.get(tx, found.uid);
    const { phase } = statusOf(EXPERIMENT, found);
    if (!state || isOver(specOf(EXPERIMENT, found), state))
      throw new ServiceError('conflict', `${describeKey(found)} has ended as ${phase} and cannot be cancelled`);
    recordWritten(tx, { action: 'experiment.cancel', by: context, object: found });
    const by = context.identity.name;
    const why = reason?.trim() ? `: ${textStart(reason.trim(), REASON_MAX)}` : '';
    if (state.stop?.reason !== 'cancelled')
      await writeProgress(
        { tx, experiment: found, now: clock.now() },
        { ...state, stop: { reason: 'cancelled', message: `cancelled by ${by}${why}`, by } },
      );
    await wakeExperiment(tx, found);
    return found;
  });
  return toResource((await store.getObject(experiment)) ?? experiment);
}

const REASON_MAX = 500;
