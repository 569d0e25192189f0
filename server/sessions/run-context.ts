// Context of a turn's run: the conversation before it, bounded by spec.history, the Session's overrides of agents, and a state to begin with.
import { ServiceError } from '@svc/shared/errors';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { RestorePoint, RunContexts } from '../engine/definitions/run-context.ts';
import type { StoreReader } from '../store/store.ts';
import { mayRunTurn, type Bindings } from './bindings.ts';
import { Conversations } from './conversation.ts';
import { sessionKey } from './draft.ts';
import { readState, readTurn, type TurnRecord } from './records.ts';

/** Values that the input of every turn has: its message, and the ids of what it belongs to. */
const OF_EVERY_TURN: ReadonlySet<string> = new Set(['message', 'session_id', 'turn_id']);

export function createSessionRunContexts(bindings: Bindings): RunContexts {
  const conversations = new Conversations();
  return {
    async read(reader, task) {
      if (!mayRunTurn(task)) return undefined;
      const binding = await bindings.read(reader, task.uid);
      if (!binding) return undefined;
      const { uid } = binding;
      const [session, turn] = await Promise.all([reader.getObject(sessionKey(binding)), readTurn(reader, uid, binding.sequence)]);
      if (session?.uid !== uid || !turn) return undefined;
      const { history: bounds = {}, overrides } = specOf('Session', session);
      // Completed turns are those of the conversation: a rewind lowers their number.
      const { completedTurns: turns = 0 } = statusOf('Session', session);
      const conversation = await conversations.newest(reader, { uid, upTo: turn.parent ?? 0 }, { bounds, turns });
      const restore = await restorePoint(reader, uid, turn);
      return {
        // The ids of Session and turn alone tell a model nothing new: the message then stands as its sender wrote it, as in later turns.
        ...(Object.keys(specOf('Task', task).input).every((key) => OF_EVERY_TURN.has(key)) && { shownInput: 'message' }),
        ...(conversation && { conversation: conversation.ref, messages: conversation.messages }),
        ...(overrides && { overrides }),
        ...(restore && { restore }),
      };
    },
    async messages(reader, taskUid, ref) {
      const binding = await bindings.read(reader, taskUid);
      return conversations.read(reader, binding?.uid ?? '', ref);
    },
  };
}

async function restorePoint(reader: StoreReader, uid: string, { id, restore }: TurnRecord): Promise<RestorePoint | undefined> {
  if (!restore) return undefined;
  const bytes = await readState(reader, uid, id);
  if (!bytes) throw new ServiceError('conflict', `the state of checkpoint ${restore.checkpointId} is no longer stored`);
  return { checkpointId: restore.checkpointId, encoded: { bytes, sha256: restore.sha256 } };
}
