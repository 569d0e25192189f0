// The state and the events of a checkpoint, read again from what is recorded: nothing is called.
import { createHash } from 'node:crypto';
import type { CheckpointReplay } from '@svc/shared/api/sessions';
import { ServiceError } from '@svc/shared/errors';
import { encodeState, type EncodedState } from '../engine/core/state-codec.ts';
import { foldJournal } from '../engine/shell/fold-journal.ts';
import type { StoreReader } from '../store/store.ts';
import type { CheckpointRecord } from './checkpoints.ts';
import { EVENTS_LIMIT_MAX, readSessionEvents, type SessionStream } from './follow-events.ts';
import { readState } from './records.ts';

/** The state of the run as it was at the checkpoint; undefined when what it was made of is gone. */
async function stateAt(reader: StoreReader, sessionUid: string, { id, journal }: CheckpointRecord): Promise<EncodedState | undefined> {
  if (!journal) {
    const bytes = await readState(reader, sessionUid, id);
    return bytes && { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  }
  const { state, lastSeq } = await foldJournal(reader, journal.stream, journal.seq);
  return lastSeq < journal.seq ? undefined : encodeState(state);
}

/** Throws `conflict` when the journal does not give the state whose hash was stored. */
export async function verifiedState(reader: StoreReader, sessionUid: string, checkpoint: CheckpointRecord): Promise<EncodedState> {
  const folded = await stateAt(reader, sessionUid, checkpoint);
  if (!folded || folded.sha256 !== checkpoint.state_hash)
    throw new ServiceError(
      'conflict',
      `checkpoint ${checkpoint.id} does not verify: the recorded run does not give the state that was stored; use another checkpoint`,
    );
  return folded;
}

export interface ReplayPage {
  readonly ref: SessionStream;
  readonly after: number;
  readonly limit: number | undefined;
}

export async function replayCheckpoint(
  reader: StoreReader,
  checkpoint: CheckpointRecord,
  { ref, after, limit = EVENTS_LIMIT_MAX }: ReplayPage,
): Promise<CheckpointReplay> {
  const folded = await stateAt(reader, ref.uid, checkpoint);
  const left = Math.max(1, checkpoint.event_sequence - after);
  const { items, more } = await readSessionEvents(reader, ref, { after, limit: Math.min(limit, left) });
  const events = items.filter(({ seq }) => seq <= checkpoint.event_sequence);
  const last = events.at(-1)?.seq ?? after;
  return {
    verified: folded?.sha256 === checkpoint.state_hash,
    state_hash: checkpoint.state_hash,
    events,
    ...(more && last < checkpoint.event_sequence && { continue: String(last) }),
    model_calls: 0,
    tool_calls: 0,
  };
}
