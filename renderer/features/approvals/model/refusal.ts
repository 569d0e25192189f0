// Reason why a decision was refused, written for its author: the change since, who made it, and what to do next. Pure.
import type { Problem } from '../../../live/problem.ts';
import type { Approval } from './approval.ts';

type RefusalKind = 'decided' | 'expired' | 'gone' | 'replaced' | 'invalid' | 'forbidden' | 'unsent' | 'failed';

export interface Refusal {
  readonly kind: RefusalKind;
  readonly title: string;
  readonly text: string;
  readonly details: Problem['details'];
}

export interface RefusalContext {
  readonly problem: Problem;
  /** The approval as the person saw it. */
  readonly seen: Approval;
  /** The approval as the server has it now; undefined when it was deleted or could not be read. */
  readonly current: Approval | undefined;
  /** ms, by the server's clock. */
  readonly now: number;
}

const WORDS: Readonly<Record<string, string>> = { Approved: 'approved', Denied: 'denied', ChangesRequested: 'sent back for changes' };

/** Decides by codes and by the current object, never by the text of a message. */
export function refusalOf({ problem, seen, current, now }: RefusalContext): Refusal {
  const { code, message, details } = problem;
  const make = (kind: RefusalKind, title: string, text: string): Refusal => ({ kind, title, text, details });
  if (code === 'not_found')
    return make(
      'gone',
      'It was deleted meanwhile',
      'Deleting a pending approval denies it: its run has received the denial. Your decision was not applied.',
    );
  if (code === 'conflict' && current) return meanwhile(make, { problem, seen, current, now });
  if (code === 'invalid') return make('invalid', 'This decision does not fit the request', message);
  if (code === 'forbidden' || code === 'unauthorized') return make('forbidden', 'You may not decide this', message);
  if (code === 'unreachable')
    return make(
      'unsent',
      'No answer',
      'It is not known yet whether the decision was accepted. This page shows its state as soon as the server answers; trying again is safe, since an approval is decided once.',
    );
  return make('failed', 'The decision was not accepted', message);
}

function meanwhile(
  make: (kind: RefusalKind, title: string, text: string) => Refusal,
  { problem, seen, current, now }: RefusalContext & { readonly current: Approval },
): Refusal {
  if (current.uid !== seen.uid)
    return make(
      'replaced',
      'It was replaced',
      'The approval you saw was deleted, and a new one has its name. Read the new one before you decide.',
    );
  const word = WORDS[current.phase];
  if (word !== undefined)
    return make(
      'decided',
      `${current.decision.by ?? 'Somebody'} decided first`,
      `It was ${word} by ${current.decision.by ?? 'somebody'}. An approval is decided once; your decision changed nothing.`,
    );
  if (current.phase === 'Expired' || !(current.expiresAt > now))
    return make(
      'expired',
      'It has expired',
      `${current.decision.closedBecause ?? 'No decision before expiry'}. The run has received the expiry; your decision changed nothing.`,
    );
  return make('failed', 'The decision was not accepted', problem.message);
}
