// Invariants of the change log and its watchers: ordered, no gaps, no loss, no duplicates.
import type { Change } from '../../../server/store/store.ts';
import type { Evidence, Violation, WatchEvidence } from './evidence.ts';

function gaps(seqs: readonly number[]): string[] {
  return seqs.flatMap((seq, index) => (seq === (seqs[index - 1] ?? 0) + 1 ? [] : [`${seqs[index - 1] ?? 0} is followed by ${seq}`]));
}

export function changesHaveNoGaps({ changes }: Evidence): Violation[] {
  const invariant = 'the change log has no gaps';
  return gaps(changes.map(({ seq }) => seq)).map((detail) => ({ invariant, detail }));
}

/** Changes that a client saw, as text to compare with the expected ones. */
const seenText = (seq: number, ...rest: readonly unknown[]) => `${seq} ${rest.join(' ')}`;

function compare(
  invariant: string,
  { items, surprises, mustReach }: WatchEvidence,
  expected: ReadonlyMap<number, string>,
  show: (item: WatchEvidence['items'][number]) => string,
): Violation[] {
  const found = surprises.map((detail) => ({ invariant, detail }));
  let last = 0;
  for (const item of items) {
    if (item.seq <= last) found.push({ invariant, detail: `${item.seq} came after ${last}` });
    if (expected.get(item.seq) !== show(item))
      found.push({ invariant, detail: `${item.seq} was shown as "${show(item)}" and is "${expected.get(item.seq) ?? 'nothing'}"` });
    last = item.seq;
  }
  const shown = new Set(items.map(({ seq }) => seq));
  const lost = [...expected.keys()].filter((seq) => seq <= Math.max(last, mustReach) && !shown.has(seq));
  if (lost.length > 0) found.push({ invariant, detail: `${lost.length} were never shown: ${lost.slice(0, 10).join(', ')}` });
  return found;
}

const eventType = ({ type, fact }: Change) => fact?.type ?? `resource.${type}`;

/** A client that reconnects with Last-Event-ID after every fault sees every change once, in order. */
export function watchersSeeEverythingOnce({ changes, events, taskWatch }: Evidence): Violation[] {
  const all = new Map(changes.map((change) => [change.seq, seenText(change.seq, eventType(change), change.kind, change.name)]));
  const ofTasks = changes.filter(({ kind, fact }) => kind === 'Task' && !fact);
  const versions = new Map(ofTasks.map(({ seq, type, name, resourceVersion }) => [seq, seenText(seq, type, name, resourceVersion)]));
  return [
    ...compare('a watch of events loses nothing and repeats nothing', events, all, ({ seq, data }) =>
      seenText(seq, data['type'], data['kind'], data['name']),
    ),
    ...compare('a watch of tasks loses nothing and repeats nothing', taskWatch, versions, ({ seq, data }) =>
      seenText(seq, data['type'], data['name'], data['resourceVersion']),
    ),
  ];
}
