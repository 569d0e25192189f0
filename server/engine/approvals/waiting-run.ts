// The run that waits for an approval, and its exact question. Stored where no client can edit it: decisions are bound to it.
import type { JsonObject } from '@svc/shared/json';
import type { ResourceKey } from '@svc/shared/resource';
import { Collection } from '../../store/collection.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import type { ApprovalReason, ReviewTag } from '../core/entries.ts';
import type { ApprovalRule, InputTool, RuleRef } from '../ports.ts';
import { isApprovalKind, TASK_APPROVAL, TOOL_APPROVAL, type ApprovalKind } from './approval-kind.ts';

/** Collections of the waiting runs; a document's id is the approval's `namespace/name`. */
const COLLECTIONS: Readonly<Record<ApprovalKind, Collection>> = {
  [TOOL_APPROVAL]: new Collection('engine.approval-waiting'),
  [TASK_APPROVAL]: new Collection('engine.review-waiting'),
};

interface Waiting {
  /** The Task's uid, which is the run's journal stream. */
  readonly stream: string;
  readonly task: string;
  /** Uid of the approval: a later one of the same name is a different approval. */
  readonly uid: string;
  /** Absent where a version before this one asked. */
  readonly origin?: AskOrigin;
}

/** Origin of a question at the time of the request. */
export interface AskOrigin {
  /** Creators of the Task; absent where they are not known. */
  readonly creators?: readonly string[];
  readonly rules: readonly ApprovalRule[];
}

/** The call in question, as the run requested it. */
export interface RequestedCall {
  /** As snapshotted; of its spec only the `input_schema`. */
  readonly tool: InputTool;
  readonly agent: string;
  readonly request_id: string;
  readonly input: JsonObject;
  readonly operation?: string;
  readonly rule?: RuleRef;
  /** True for a call that was sent before, so that a tool may know its request id: its input cannot be edited. */
  readonly sent?: boolean;
}

export interface WaitingCall extends Waiting {
  readonly kind: typeof TOOL_APPROVAL;
  readonly reason: ApprovalReason;
  /** Absent where a version before this one asked. */
  readonly call?: RequestedCall;
}

export interface WaitingReview extends Waiting {
  readonly kind: typeof TASK_APPROVAL;
  readonly review: ReviewTag & {
    readonly allow_request_changes: boolean;
    readonly max_review_cycles: number;
    readonly output_hash: string;
  };
}

export type WaitingRun = WaitingCall | WaitingReview;

const idOf = ({ namespace, name }: ResourceKey) => `${namespace}/${name}`;

/** The run that waits for the approval of this name; undefined for a kind that no run requests. */
export async function waitingRun(reader: StoreReader, approval: ResourceKey): Promise<WaitingRun | undefined> {
  const { kind } = approval;
  if (!isApprovalKind(kind)) return undefined;
  const document = await COLLECTIONS[kind].get(reader, idOf(approval));
  return document && ({ ...document, kind } as unknown as WaitingRun);
}

/** The run that waits for this very object. */
export async function runWaitingFor(
  reader: StoreReader,
  approval: ResourceKey & { readonly uid: string },
): Promise<WaitingRun | undefined> {
  const waiting = await waitingRun(reader, approval);
  return waiting?.uid === approval.uid ? waiting : undefined;
}

export async function putWaitingRun(tx: StoreTransaction, approval: ResourceKey, { kind, ...document }: WaitingRun): Promise<void> {
  await COLLECTIONS[kind].put(tx, idOf(approval), document);
}

export async function dropWaitingRun(tx: StoreTransaction, approval: ResourceKey & { readonly kind: ApprovalKind }): Promise<void> {
  await COLLECTIONS[approval.kind].remove(tx, idOf(approval));
}
