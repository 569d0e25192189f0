// Stored records of an experiment beside its object: its progress, one document for each run, one for each rating. Their writers hold the row of the
// experiment.
import type { Rating } from '@svc/shared/api/experiments';
import { Collection } from '../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../store/store.ts';

export const EXPERIMENT = 'Experiment';

/** By the uid of the experiment. */
export const experimentStates = new Collection<ExperimentState>('experiment.state');
const CELLS = new Collection<CellRecord>('experiment.cells');
const RATINGS = new Collection<Rating>('experiment.ratings');
/** Name of the experiment of each run, by the uid of its Task: clients can write the labels of the Task. */
export const experimentRuns = new Collection<{ readonly experiment: string }>('experiment.runs');
/** Documents read or deleted at once. */
const PAGE = 50;

export interface ActiveRun {
  readonly run: number;
  readonly name: string;
  readonly uid: string;
}

/** Metrics of one variant. */
export interface VariantTally {
  readonly begun: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly denied: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly unpricedRuns: number;
  /** Active milliseconds of its ended runs, ascending. */
  readonly times: readonly number[];
  readonly up: number;
  readonly down: number;
}

type StopReason = 'cancelled' | 'budget_reached' | 'cost_unknown' | 'cannot_run';

/** Why no further run begins. */
export interface Stop {
  readonly reason: StopReason;
  /** One sentence. */
  readonly message: string;
  /** Principal of a cancel. */
  readonly by?: string;
  /** The runs that were active have been cancelled. */
  readonly carriedOut?: boolean;
}

export interface ExperimentState {
  /** Runs that have begun: the next one is this plus one. */
  readonly begun: number;
  readonly active: readonly ActiveRun[];
  /** In the order of the spec. */
  readonly variants: readonly VariantTally[];
  readonly startedAt?: string;
  readonly stop?: Stop;
}

/** A run of the experiment, without its place in the table, which follows from its number. */
export interface CellRecord {
  /** Absent for a run whose Task was refused. */
  readonly task?: { readonly name: string; readonly uid: string };
  /** Absent until it has ended. */
  readonly outcome?: string;
  readonly output?: string;
  readonly outputChars?: number;
  readonly error?: string;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly unpricedCalls?: number;
  readonly activeMs?: number;
  readonly completedAt?: string;
}

/** Text order is the order of the runs. */
const idOf = (uid: string, run: number): string => `${uid}/${String(run).padStart(4, '0')}`;

export const readCell = (reader: StoreReader, uid: string, run: number): Promise<CellRecord | undefined> =>
  CELLS.get(reader, idOf(uid, run));

export const putCell = (
  tx: StoreTransaction,
  uid: string,
  { run, cell }: { readonly run: number; readonly cell: CellRecord },
): Promise<void> => CELLS.put(tx, idOf(uid, run), cell);

export const readRating = (reader: StoreReader, uid: string, run: number): Promise<Rating | undefined> =>
  RATINGS.get(reader, idOf(uid, run));

export const putRating = (
  tx: StoreTransaction,
  uid: string,
  { run, rating }: { readonly run: number; readonly rating: Rating },
): Promise<void> => RATINGS.put(tx, idOf(uid, run), rating);

/** Up to `limit` runs after this one, with their ratings. */
export async function readCells(
  reader: StoreReader,
  uid: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<{ readonly run: number; readonly cell: CellRecord; readonly rating: Rating | undefined }[]> {
  const [cells, ratings] = await Promise.all([CELLS.list(reader, idOf(uid, after), limit), RATINGS.list(reader, idOf(uid, after), limit)]);
  const own = cells.filter(({ id }) => id.startsWith(`${uid}/`));
  const byId = new Map(ratings.map(({ id, document }) => [id, document]));
  return own.map(({ id, document }) => ({ run: Number(id.slice(uid.length + 1)), cell: document, rating: byId.get(id) }));
}

export async function deleteRecords(tx: StoreTransaction, uid: string): Promise<void> {
  await experimentStates.remove(tx, uid);
  for (const collection of [CELLS, RATINGS])
    for (;;) {
      const page = await collection.listUnder(tx, `${uid}/`, { limit: PAGE });
      if (page.length === 0) break;
      for (const { id } of page) await collection.remove(tx, id);
    }
}
