// The chain of work that determined the duration of a run: shortening anything else would not have ended it sooner. Pure.
import type { Span } from '../model/spans.ts';

/** Clocks of several machines and rounding to milliseconds let neighbours overlap by this much. */
const OVERLAP_MS = 2;

const endOf = (span: Span, now: number): number => span.end ?? now;

/** Walks back from the end: at each time, among the children that had ended by then, it takes the one that ended last. */
function walk(span: Span, until: number, context: { readonly now: number; readonly path: Set<Span> }): void {
  const { now, path } = context;
  path.add(span);
  const children = [...span.children].sort((a, b) => endOf(a, now) - endOf(b, now));
  let cursor = Math.min(until, endOf(span, now));
  for (let child = children.pop(); child; child = children.pop()) {
    const end = endOf(child, now);
    // A join lasts as long as its sources, so its sources decide.
    if (end > cursor + OVERLAP_MS || child.kind === 'note' || child.kind === 'join') continue;
    walk(child, end, context);
    cursor = Math.min(cursor, child.start);
  }
}

/** The spans on the critical path, including their ancestors. */
export function criticalPath(root: Span | undefined, now: number): ReadonlySet<Span> {
  const path = new Set<Span>();
  if (root) walk(root, endOf(root, now), { now, path });
  return path;
}
