// How objects are counted from index ranges, whatever the engine. The cost is bounded: by rows of an index, or by objects examined.
import { fetchStretch, positionValues } from './list-ranges.ts';
import type { Position } from './list-ranges.ts';
import type { CountShape, ListSource } from './list-reading.ts';
import { planBySize } from './list-driver.ts';
import type { ListPlan } from './list-plan.ts';
import type { CountQuery, ObjectCount } from './store.ts';

export type CountSource = Pick<ListSource, 'fetch' | 'count' | 'pause'>;

/** Objects examined between two pauses. */
const STRETCH_ROWS = 256;

/** Throws `invalid` for a field without an index. */
export async function readCount(source: CountSource, query: CountQuery): Promise<ObjectCount> {
  const plan = await planBySize(source, query);
  return plan.filter ? countFiltered(source, query, plan) : countRanges(source, query, plan);
}

const positionOf = ({ after }: CountQuery): Position | undefined => after && { ...after, created_at: after.createdAt };

async function countRanges(source: CountSource, query: CountQuery, { driver }: ListPlan): Promise<ObjectCount> {
  const { kind, namespace, max } = query;
  const position = positionOf(query);
  const shape: CountShape = { byTerm: driver !== undefined, inNamespace: namespace !== undefined, positioned: position !== undefined };
  const ranges = driver ? driver.values.map((value) => [driver.term, value]) : [[]];
  const place = position ? positionValues({ namespace, order: 'createdAt' }, position) : [];
  const scope = [...(namespace === undefined ? [] : [namespace]), ...place];
  let count = 0;
  for (const range of ranges) {
    // One more than wanted says whether there is more.
    count += await source.count(shape, [kind, ...range, ...scope, max + 1 - count]);
    if (count > max) return { count: max, more: true };
  }
  return { count, more: false };
}

async function countFiltered(source: CountSource, query: CountQuery, plan: ListPlan): Promise<ObjectCount> {
  const { kind, namespace } = query;
  const range = {
    kind,
    namespace,
    order: query.after ? ('createdAt' as const) : ('name' as const),
    ...(plan.driver && { driver: plan.driver }),
  };
  let [count, seen] = [0, 0];
  let position = positionOf(query);
  for (;;) {
    const limit = Math.min(STRETCH_ROWS, query.max + 1 - seen);
    const rows = await fetchStretch(source, { range, filtered: true, position, limit });
    const looked = rows.slice(0, query.max - seen);
    count += looked.filter((row) => plan.filter?.(row)).length;
    seen += looked.length;
    if (looked.length < rows.length) return { count, more: true };
    if (rows.length < limit) return { count, more: false };
    position = rows.at(-1);
    await source.pause();
  }
}
