// Earlier decisions on calls of one tool. Pure.
import type { Approval, Place, ToolApproval } from '../model/approval.ts';

export interface Precedents {
  /** The last decision first, without expired ones. */
  readonly decided: readonly Approval[];
  readonly approved: number;
  readonly expired: number;
}

/** Approvals of calls of one tool. */
export const callsOf = (all: readonly Approval[], { namespace, name }: Place): ToolApproval[] =>
  all.filter((each): each is ToolApproval => each.kind === 'ToolApproval' && each.tool.name === name && each.tool.namespace === namespace);

/** Excludes the open approval. */
export function precedentsOf(all: readonly Approval[], { tool, uid }: { readonly tool: Place; readonly uid: string }): Precedents {
  const same = callsOf(all, tool).filter((each) => each.uid !== uid);
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
