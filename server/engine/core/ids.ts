// Deterministic identities of messages, turns and calls: the same run gives the same ids before and after a crash.
import { createHash } from 'node:crypto';

const ID_HEX_LENGTH = 32;

function digest(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex').slice(0, ID_HEX_LENGTH);
}

export interface MessagePlace {
  readonly taskUid: string;
  readonly attempt: number;
  readonly branchId: string;
  readonly from: string;
  readonly to: string;
  readonly depth: number;
  /** How often the task's output was sent back by a reviewer: what follows makes new messages, on places that may have had some. */
  readonly round: number;
}

export function messageKey({ taskUid, attempt, branchId, depth, from, to, round }: MessagePlace): string {
  return `${taskUid}/${attempt}/${branchId}/${depth}/${from}>${to}${round > 0 ? `/${round}` : ''}`;
}

export function messageId(place: MessagePlace): string {
  return `msg-${digest(['message', messageKey(place)])}`;
}

export function joinTurnId(place: MessagePlace): string {
  return `turn-${digest(['join', messageKey(place)])}`;
}

export interface CallPlace {
  readonly taskUid: string;
  readonly attempt: number;
  readonly turnId: string;
  /** Try of the turn's message, from 1: a retried message makes new calls. */
  readonly messageAttempt: number;
  readonly agentStep: number;
  /** Index of a tool call within the step; absent for the model call. */
  readonly index?: number;
}

/** The turn id already stands for task, attempt, branch and agent. */
export function requestId(place: CallPlace): string {
  const call = place.index === undefined ? 'model' : `tool-${place.index}`;
  return `req-${digest([place.taskUid, place.attempt, place.turnId, place.messageAttempt, place.agentStep, call])}`;
}

const APPROVAL_HEX_LENGTH = 16;

export interface ApprovalPlace {
  readonly taskUid: string;
  /** A run that continues another one keeps the ids of the calls that were sent there. */
  readonly requestId: string;
  /** Counts the approvals of the same call, from 1. */
  readonly round: number;
}

/** The name of the ToolApproval for a call of one run. */
export function approvalName({ taskUid, requestId, round }: ApprovalPlace): string {
  const name = `approval-${digest(['approval', taskUid, requestId]).slice(0, APPROVAL_HEX_LENGTH)}`;
  return round > 1 ? `${name}-${round}` : name;
}

export interface ReviewPlace {
  readonly taskUid: string;
  readonly attempt: number;
  readonly checkpointId: string;
  /** Empty for the output of the whole task. */
  readonly turnId: string;
}

/** The name of the TaskApproval for an output; `asked` counts approvals for the same place, from 1. */
export function reviewName({ taskUid, attempt, checkpointId, turnId }: ReviewPlace, asked: number): string {
  const name = `review-${digest(['review', taskUid, attempt, checkpointId, turnId]).slice(0, APPROVAL_HEX_LENGTH)}`;
  return asked > 1 ? `${name}-${asked}` : name;
}

/** `b001`; children append their own number. */
export function rootBranchId(index: number): string {
  return `b${String(index).padStart(3, '0')}`;
}

/** Characters of a branch id that names its ancestors. Past them, ids would grow with every fan-out of a loop, and a journal with their square. */
const BRANCH_ID_MAX_CHARS = 64;
const BRANCH_HEX_LENGTH = 16;

/** Parent and number, or, in a deep branch, its root and a hash of both: `b001.~` and 16 hex digits. */
export function childBranchId(parent: string, index: number): string {
  const child = `${parent}.${String(index).padStart(3, '0')}`;
  if (!isDeepBranch(parent) && child.length <= BRANCH_ID_MAX_CHARS) return child;
  const [root] = parent.split('.', 1);
  return `${root}.~${digest(['branch', parent, index]).slice(0, BRANCH_HEX_LENGTH)}`;
}

/** True when the id does not name its parent. */
export function isDeepBranch(branch: string): boolean {
  return branch.includes('~');
}

/** Root of a deeper branch; undefined for a root branch. */
export function parentBranchId(branch: string): string | undefined {
  const end = branch.lastIndexOf('.');
  return end < 0 ? undefined : branch.slice(0, end);
}

/** Branch in which a join continues: the deepest common ancestor, or the first branch when they share none. `parents`: of deep branches. */
export function joinedBranch(branches: readonly string[], parents: ReadonlyMap<string, string> = new Map()): string {
  const [first = [], ...rest] = [...branches].sort().map((branch) => lineage(branch, parents));
  let length = first.length;
  for (const other of rest) {
    let same = 0;
    while (same < length && other[same] === first[same]) same += 1;
    length = same;
  }
  const shared = first.slice(0, length === 0 ? 1 : length);
  const last = shared.at(-1) ?? '';
  return isDeepBranch(last) ? last : shared.join('.');
}

/** Parts of the id, then each deep branch with its whole id. */
function lineage(branch: string, parents: ReadonlyMap<string, string>): string[] {
  const deep: string[] = [];
  let named = branch;
  for (let parent = parents.get(named); parent !== undefined; parent = parents.get(named)) {
    deep.push(named);
    named = parent;
  }
  return [...named.split('.'), ...deep.reverse()];
}
