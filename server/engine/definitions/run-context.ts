// Context of a run beyond its definitions: earlier chat messages, overrides of agents, or the state of another run. Read when an attempt starts.
import type { StoredObject, StoreReader } from '../../store/store.ts';
import type { ConversationMessage, ConversationRef } from '../core/snapshot.ts';
import type { EncodedState } from '../core/state-codec.ts';
import type { AgentOverrides, Definitions } from './load-definitions.ts';

/** The state that a run begins with, in place of the entry agents. */
export interface RestorePoint {
  readonly checkpointId: string;
  readonly encoded: EncodedState;
}

export interface RunContext {
  readonly conversation?: ConversationRef;
  /** Messages of `conversation`, the oldest first. */
  readonly messages?: readonly ConversationMessage[];
  /** Key of the one value of the Task's input that agents see. Absent: they see all of it. */
  readonly shownInput?: string;
  readonly overrides?: AgentOverrides;
  readonly restore?: RestorePoint;
}

/** Port of the part that keeps conversations. */
export interface RunContexts {
  /** Called in the transaction that starts an attempt; undefined for a Task that continues nothing. */
  readonly read: (reader: StoreReader, task: StoredObject) => Promise<RunContext | undefined>;
  /** Messages of a reference in the snapshot of this Task, the oldest first. Throws CallError when they are not those that it names. */
  readonly messages: (reader: StoreReader, taskUid: string, ref: ConversationRef) => Promise<readonly ConversationMessage[]>;
}

export const noRunContexts: RunContexts = {
  read: () => Promise.resolve(undefined),
  messages: () => Promise.resolve([]),
};

export function withConversation(definitions: Definitions, { conversation, shownInput }: RunContext = {}): Definitions {
  if (definitions.kind !== 'ready' || (!conversation && shownInput === undefined)) return definitions;
  const { snapshot } = definitions;
  const added = { ...(conversation && { conversation }), ...(shownInput !== undefined && { shownInput }) };
  return { kind: 'ready', snapshot: { ...snapshot, task: { ...snapshot.task, ...added } } };
}
