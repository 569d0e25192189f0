// A decision on an approval as a client sends it, unchecked.

export interface DecisionRequest {
  /** `request_changes` is for TaskApprovals only. */
  readonly decision: 'approved' | 'denied' | 'request_changes';
  readonly decided_by?: string;
  /** The `metadata.uid` of what the decider examined. */
  readonly uid?: string;
  readonly comment?: string;
  /** Outcome of a call whose outcome was unknown, or `answered` for one that is not to be made, as the client wrote it. */
  readonly outcome?: string;
  /** With `done`: the result of the tool. With `answered`: the answer in its place. */
  readonly output?: unknown;
  /** Edited arguments. */
  readonly input?: unknown;
}
