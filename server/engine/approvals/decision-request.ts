// A decision on an approval as a client sends it, unchecked.

export interface DecisionRequest {
  /** `request_changes` is for TaskApprovals only. */
  readonly decision: 'approved' | 'denied' | 'request_changes';
  readonly decided_by?: string;
  /** The `metadata.uid` of what the decider looked at. */
  readonly uid?: string;
  readonly comment?: string;
  /** Of a call of unknown outcome: what became of it, in the client's words. */
  readonly outcome?: string;
  /** With `done`: what the tool answered. */
  readonly output?: unknown;
  /** Edited arguments. */
  readonly input?: unknown;
}
