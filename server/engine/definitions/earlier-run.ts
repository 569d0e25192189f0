// Results of an earlier run that a trial reuses: outputs and received messages of its last attempt, read from its journal.
import { ServiceError } from '@svc/shared/errors';
import type { StoreReader } from '../../store/store.ts';
import { applyEntry } from '../core/apply-entry.ts';
import { isSupportedEntry } from '../core/entries.ts';
import { RECORDED_ENTRIES_MAX } from '../core/limits.ts';
import type { PinnedOutput, RecordedInput, RunSnapshot } from '../core/snapshot.ts';
import { newRunState } from '../core/state.ts';
import { tooNew } from '../shell/fold-journal.ts';
import { readEntries } from '../views/read-journal.ts';

interface Result extends Required<PinnedOutput> {
  readonly agent: string;
  /** Number of the journal entry. */
  readonly place: number;
}

interface Starts {
  /** Number of the journal entry of the first turn. */
  readonly first: number;
  /** Messages that the latest turn received. */
  readonly last: RecordedInput;
}

export interface EarlierRun {
  readonly snapshot: RunSnapshot;
  /** In the order of the journal. */
  readonly results: readonly Result[];
  /** By agent. */
  readonly starts: ReadonlyMap<string, Starts>;
}

/** Undefined for a run that has not begun. Throws `too_large` past RECORDED_ENTRIES_MAX, `conflict` for a newer journal. */
export async function readEarlierRun(reader: StoreReader, stream: string): Promise<EarlierRun | undefined> {
  const state = newRunState();
  let results: Result[] = [];
  let starts = new Map<string, Starts>();
  let snapshot: RunSnapshot | undefined;
  for await (const { seq, entry } of readEntries(reader, stream)) {
    if (seq > RECORDED_ENTRIES_MAX)
      throw new ServiceError('too_large', `it has more than ${RECORDED_ENTRIES_MAX} journal entries, too many to reuse its results`);
    if (!isSupportedEntry(entry)) throw tooNew(stream, { seq, type: entry.type });
    applyEntry(state, entry);
    if (entry.type === 'run.started' || entry.type === 'run.restored') [results, starts] = [[], new Map<string, Starts>()];
    snapshot = state.attempt?.snapshot ?? snapshot;
    if (entry.type === 'agent.completed') {
      const { agent, output, labels } = entry.data;
      results.push({ agent, output, labels, place: seq });
    }
    const turn = entry.type === 'agent.started' ? state.attempt?.turns.get(entry.data.turn_id) : undefined;
    if (!turn) continue;
    const messages = turn.inbox.filter(({ from }) => from !== '').map(({ from, content }) => ({ from, content }));
    const last = { messages, failedSources: turn.failedSources };
    starts.set(turn.agent.name, { first: starts.get(turn.agent.name)?.first ?? seq, last });
  }
  return snapshot && { snapshot, results, starts };
}
