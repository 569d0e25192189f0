// Earlier decisions on calls of one tool. Pure.
import type { Approval, Place } from '../model/approval.ts';

export interface Precedents {
  /** The last decision first, without expired ones. */
  readonly decided: readonly Approval[];
  readonly approved: number;
  readonly expired: number;
}

/** Excludes the open approval. */
export function precedentsOf(all: readonly Approval[], { tool, uid }: { readonly tool: Place; readonly uid: string }): Precedents {
  const same = all.filter(
    (each) => each.kind === 'ToolApproval' && each.uid !== uid && each.tool.name === tool.name && each.tool.namespace === tool.namespace,
  );
  const decided = same.filter(({ phase }) => phase === 'Approved' || phase === 'Denied').sort((a, b) => b.decision.at - a.decision.at);
  return { decided, approved: decided.filter(({ phase }) => phase === 'Approved').length, expired: same.length - decided.length };
}

/** `readMax`: only this many approvals were read, and more exist. */
export function precedentsText({ decided, approved, expired }: Precedents, readMax: number | undefined): string {
  const among = readMax === undefined ? '' : ` among the newest ${readMax} approvals of the namespace`;
  const [last] = decided;
  if (!last) return expired === 0 ? `None${among}.` : `None decided${among}; ${expired} expired.`;
  const by = last.decision.by === undefined ? '' : `, last by ${last.decision.by}`;
  return `Approved ${approved} of ${decided.length}${by}${among}.${expired === 0 ? '' : ` ${expired} expired.`}`;
}
