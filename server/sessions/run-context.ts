// Context of a turn's run: the conversation before it, bounded by spec.history, the Session's overrides of agents, and a state to begin with.
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { ReadRunContext, RestorePoint } from '../engine/definitions/run-context.ts';
import { CONVERSATION_MAX_BYTES, CONVERSATION_MESSAGES_MAX } from '../engine/core/limits.ts';
import type { ConversationMessage } from '../engine/core/snapshot.ts';
import type { StoreReader } from '../store/store.ts';
import { sessionKey } from './draft.ts';
import { readBinding, readChat, readState, readTurn, type TurnRecord } from './records.ts';

const CHARACTERS_PER_TOKEN = 4;

export const sessionRunContext: ReadRunContext = async (reader, task) => {
  if (task.labels['svc.dev/created-by'] !== 'session') return undefined;
  const binding = await readBinding(reader, task.uid);
  if (!binding) return undefined;
  const [session, turn] = await Promise.all([reader.getObject(sessionKey(binding)), readTurn(reader, binding.uid, binding.sequence)]);
  if (!session || session.uid !== binding.uid || !turn) return undefined;
  const { history = {}, overrides } = specOf('Session', session);
  const chat = await readChat(reader, binding.uid);
  const earlier = await earlierMessages(reader, { uid: binding.uid, parent: turn.parent ?? 0 }, history);
  const restore = await restorePoint(reader, binding.uid, turn);
  return { conversation: [...(chat?.history ?? []), ...earlier], ...(overrides && { overrides }), ...(restore && { restore }) };
};

async function restorePoint(reader: StoreReader, uid: string, { id, restore }: TurnRecord): Promise<RestorePoint | undefined> {
  if (!restore) return undefined;
  const bytes = await readState(reader, uid, id);
  if (!bytes) throw new ServiceError('conflict', `the state of checkpoint ${restore.checkpointId} is not stored any more`);
  return { checkpointId: restore.checkpointId, encoded: { bytes, sha256: restore.sha256 } };
}

interface History {
  readonly max_turns?: number | undefined;
  readonly max_tokens?: number | undefined;
}

/** The newest turns that fit, the oldest first. Each turn names the one before it, so that turns that were undone are left out. */
async function earlierMessages(
  reader: StoreReader,
  { uid, parent }: { readonly uid: string; readonly parent: number },
  { max_turns: maxTurns = Infinity, max_tokens: maxTokens = Infinity }: History,
): Promise<ConversationMessage[]> {
  const messages: ConversationMessage[][] = [];
  let room = Math.min(CONVERSATION_MAX_BYTES, maxTokens * CHARACTERS_PER_TOKEN);
  for (let sequence = parent; sequence > 0 && messages.length < Math.min(maxTurns, CONVERSATION_MESSAGES_MAX / 2);) {
    const turn: TurnRecord | undefined = await readTurn(reader, uid, sequence);
    if (!turn) break;
    const pair = pairOf(turn);
    room -= pair.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    if (room < 0) break;
    messages.push(pair);
    sequence = turn.parent ?? 0;
  }
  return messages.reverse().flat();
}

function pairOf({ content, output = '' }: TurnRecord): ConversationMessage[] {
  return [{ role: 'user', content }, ...(output === '' ? [] : [{ role: 'assistant', content: output } as const])];
}
