// Chooses the index term that drives a list or a count by the number of its rows: most runs have one system or one phase, and few have both.
import { plansOf } from './list-plan.ts';
import type { ListPlan, Selection } from './list-plan.ts';
import type { ListSource } from './list-reading.ts';
import type { PageQuery } from './store.ts';

/** Rows that are counted of one term. Selections of at most this many are sorted by value in memory: the index of the values would be stepped through for them. */
export const FEW_ROWS = 1_000;

type CountedSource = Pick<ListSource, 'count'>;
type Scope = Pick<PageQuery, 'kind' | 'namespace'>;
type Driver = NonNullable<ListPlan['driver']>;

/** The plan with the fewest rows to examine, where one has at most `FEW_ROWS`; else the first. Throws `invalid` for a field without an index. */
export async function planBySize(source: CountedSource, query: Scope & Selection): Promise<ListPlan> {
  const [first, ...others] = plansOf(query);
  if (others.length === 0) return first;
  let [best, fewest] = [first, FEW_ROWS + 1];
  for (const plan of [first, ...others]) {
    const rows = plan.driver ? await countRows(source, query, { driver: plan.driver, max: fewest }) : fewest;
    if (rows < fewest) [best, fewest] = [plan, rows];
    if (fewest === 0) break;
  }
  return best;
}

/** True when the term has at most `FEW_ROWS` rows. */
export async function isFew(source: CountedSource, scope: Scope, driver: Driver): Promise<boolean> {
  return (await countRows(source, scope, { driver, max: FEW_ROWS + 1 })) <= FEW_ROWS;
}

/** Rows of the term, counted up to `max`. */
async function countRows(
  source: CountedSource,
  { kind, namespace }: Scope,
  { driver: { term, values }, max }: { driver: Driver; max: number },
): Promise<number> {
  const shape = { byTerm: true, inNamespace: namespace !== undefined, positioned: false };
  const scope = namespace === undefined ? [] : [namespace];
  let rows = 0;
  for (const value of values) {
    if (rows >= max) break;
    rows += await source.count(shape, [kind, term, value, ...scope, max - rows]);
  }
  return rows;
}
