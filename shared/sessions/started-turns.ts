// Turns of a Session that were started, as a tree: a rewind moves to another branch, possibly to one that an earlier rewind undid. Pure.
import type { SafePoint } from '../api/sessions.ts';

/** Place of a turn in the tree. */
export interface StartedTurn<Turn> {
  /** Number of changes so far. */
  revision: number;
  /** Place among the turns that were started, from 1; absent before, 0 for the history of a fork. */
  order?: number;
  /** Turn that was the last one of the conversation when this one started; absent: none, or the history of a fork. */
  previous?: Turn;
  /** A rewind took it out of the conversation. */
  undone: boolean;
}

/** Turns that a rewind takes out of the conversation, and turns undone earlier that return to it. */
export interface RewindEffect<Turn> {
  readonly undone: readonly Turn[];
  readonly restored: readonly Turn[];
}

export class StartedTurns<Turn extends StartedTurn<Turn>> {
  #count = 0;
  /** Last started turn of the conversation; those before it follow by `previous`. */
  #last: Turn | undefined;

  append(turn: Turn): void {
    this.#count += 1;
    turn.order = this.#count;
    if (this.#last) turn.previous = this.#last;
    this.#last = turn;
  }

  /**
   * Effect of a rewind to a checkpoint of this turn. A checkpoint inside the turn leaves it out: it continues as a new one. Undefined, or a
   * turn that was not started, lies before every started turn: the history of a fork, or events that were not read.
   */
  rewindEffect(turn: Turn | undefined, safePoint: SafePoint): RewindEffect<Turn> {
    const undone: Turn[] = [];
    const restored: Turn[] = [];
    let old = this.#last;
    let kept = this.#lastKept(turn, safePoint);
    while (old !== kept) {
      // The later of the two is not an ancestor of the other.
      if (old && (old.order ?? 0) > (kept?.order ?? 0)) {
        undone.push(old);
        old = old.previous;
      } else if (kept) {
        restored.push(kept);
        kept = kept.previous;
      }
    }
    return { undone, restored };
  }

  rewind(turn: Turn | undefined, safePoint: SafePoint): void {
    const { undone, restored } = this.rewindEffect(turn, safePoint);
    for (const each of undone) Object.assign(each, { undone: true, revision: each.revision + 1 });
    for (const each of restored) Object.assign(each, { undone: false, revision: each.revision + 1 });
    this.#last = this.#lastKept(turn, safePoint);
  }

  #lastKept(turn: Turn | undefined, safePoint: SafePoint): Turn | undefined {
    if (!turn?.order) return undefined;
    return safePoint === 'turn.completed' ? turn : turn.previous;
  }
}
