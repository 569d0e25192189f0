// Context of a run beyond its definitions: earlier chat messages, overrides of agents, or the state of another run. Read when an attempt starts.
import type { StoredObject, StoreReader } from '../../store/store.ts';
import { CONVERSATION_MAX_BYTES, CONVERSATION_MESSAGES_MAX } from '../core/limits.ts';
import type { ConversationMessage } from '../core/snapshot.ts';
import type { EncodedState } from '../core/state-codec.ts';
import type { AgentOverrides, Definitions } from './load-definitions.ts';

/** The state that a run begins with, in place of the entry agents. */
export interface RestorePoint {
  readonly checkpointId: string;
  readonly encoded: EncodedState;
}

export interface RunContext {
  readonly conversation?: readonly ConversationMessage[];
  readonly overrides?: AgentOverrides;
  readonly restore?: RestorePoint;
}

/** Port of the part that keeps conversations. Called in the transaction that starts an attempt; undefined for a Task that continues nothing. */
export type ReadRunContext = (reader: StoreReader, task: StoredObject) => Promise<RunContext | undefined>;

export const noRunContext: ReadRunContext = () => Promise.resolve(undefined);

/** A conversation past its limits makes the Task invalid: what to leave out is for the part that keeps it to choose. */
export function withConversation(definitions: Definitions, conversation: readonly ConversationMessage[] | undefined): Definitions {
  if (definitions.kind !== 'ready' || !conversation || conversation.length === 0) return definitions;
  const bytes = conversation.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (conversation.length > CONVERSATION_MESSAGES_MAX || bytes > CONVERSATION_MAX_BYTES) {
    const limits = `at most ${CONVERSATION_MESSAGES_MAX} messages of ${CONVERSATION_MAX_BYTES} bytes together`;
    const problem = `the conversation has ${conversation.length} messages of ${bytes} bytes; a run takes ${limits}`;
    return { kind: 'invalid', problems: [problem] };
  }
  const { snapshot } = definitions;
  return { kind: 'ready', snapshot: { ...snapshot, task: { ...snapshot.task, conversation } } };
}
