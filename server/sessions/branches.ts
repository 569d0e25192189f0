// Two ends of conversations that have turns in common: the turns that only one of them has.
import { ServiceError } from '@svc/shared/errors';
import type { TurnRecord } from './records.ts';

/** One end. `turn` and `depth` move back, and `own` grows, while the branches are parted. */
export interface Branch {
  /** Newest turn; undefined: the conversation has none. */
  turn: TurnRecord | undefined;
  /** Number of turns up to `turn`. Numbers of turns do not tell their order, because an interrupting turn runs before earlier ones. */
  depth: number;
  /** Turns that only this branch has, the newest first. */
  readonly own: TurnRecord[];
  readonly read: (sequence: number) => Promise<TurnRecord | undefined>;
}

/** Bound of the turns that both branches may have of their own. */
export interface BranchBound {
  readonly max: number;
  /** Message of the error when they have more. */
  readonly refusal: string;
}

/** Fills in the turns that only one branch has. Returns the newest turn of both. Throws `too_large`. */
export async function partBranches(left: Branch, right: Branch, bound: BranchBound): Promise<TurnRecord | undefined> {
  const back = async (branch: Branch, turn: TurnRecord) => {
    branch.own.push(turn);
    if (left.own.length + right.own.length > bound.max) throw new ServiceError('too_large', bound.refusal);
    branch.turn = await turnBefore(branch, turn);
    branch.depth -= 1;
  };
  while (left.turn?.id !== right.turn?.id) {
    const difference = left.depth - right.depth;
    const [ofLeft, ofRight] = [left.turn, right.turn];
    if (ofLeft && (difference >= 0 || !ofRight)) await back(left, ofLeft);
    if (ofRight && (difference <= 0 || !ofLeft)) await back(right, ofRight);
  }
  return left.turn;
}

export const turnBefore = ({ read }: Pick<Branch, 'read'>, { parent = 0 }: TurnRecord): Promise<TurnRecord | undefined> =>
  parent > 0 ? read(parent) : Promise.resolve(undefined);
