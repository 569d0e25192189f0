// Progress of the tour's run, from the run and its approvals. Pure.
import { hasEnded, hasFailed, phaseOf, type Run } from '../runs/model/run.ts';
import { isOpen, type RunApproval } from '../runs/model/run-approvals.ts';

export interface Mark {
  readonly id: string;
  readonly title: string;
  readonly state: 'done' | 'now' | 'later' | 'failed';
  readonly note: string;
}

const DECIDED: Readonly<Record<string, { readonly state: Mark['state']; readonly note: string }>> = {
  Approved: { state: 'done', note: 'approved' },
  Denied: { state: 'failed', note: 'denied' },
  Expired: { state: 'failed', note: 'nobody decided in time' },
  ChangesRequested: { state: 'now', note: 'sent back' },
};

/** The newest of a kind: a letter that was sent back is reviewed again. */
function newest(approvals: readonly RunApproval[], kind: string): RunApproval | undefined {
  return approvals.filter((each) => each.kind === kind).sort((a, b) => (a.metadata.createdAt < b.metadata.createdAt ? 1 : -1))[0];
}

function decision(title: string, approval: RunApproval | undefined): Mark {
  if (approval === undefined) return { id: title, title, state: 'later', note: '' };
  const { phase } = approval.status;
  if (phase === 'Pending') return { id: title, title, state: 'now', note: 'waits for you' };
  return { id: title, title, ...(DECIDED[phase] ?? { state: 'done', note: phase }) };
}

export function marksOf(run: Run, approvals: readonly RunApproval[]): readonly Mark[] {
  const phase = phaseOf(run);
  const ended = phase === 'Succeeded' ? 'done' : phase === 'Failed' || phase === 'DeadLetter' ? 'failed' : 'later';
  return [
    {
      id: 'taken',
      title: 'A worker claims the run',
      state: phase === 'Pending' && run.status.startedAt === undefined ? 'now' : 'done',
      note: run.status.assignedWorker ?? '',
    },
    decision('You decide on the payment', newest(approvals, 'ToolApproval')),
    decision('You read the letter', newest(approvals, 'TaskApproval')),
    { id: 'end', title: 'The run ends', state: ended, note: ended === 'failed' ? 'failed' : '' },
  ];
}

export interface Story {
  readonly title: string;
  readonly text: string;
}

const HELD_BACK: Readonly<Record<string, { readonly payment: string; readonly letter: string }>> = {
  Denied: { payment: 'a person denied the payment', letter: 'a person denied it' },
  Expired: { payment: 'nobody decided on the payment in time', letter: 'nobody read it in time' },
};

/** Outcome of the run in words; without a run, words that fit any outcome. `approvals`: undefined while they are unknown. */
export function storyOf(run: Run | undefined, approvals: readonly RunApproval[] | undefined): Story {
  if (run === undefined)
    return { title: 'Two places where a person decides', text: 'Money leaves only when a person agrees, a letter only once it was read.' };
  if (!hasEnded(run)) return { title: 'A run that waits for you', text: 'It continues once you decide, whatever happens to this page.' };
  if (!hasFailed(run))
    return { title: 'A finished run, with two decisions of yours', text: 'The payment and the letter went out because a person agreed.' };
  if (approvals === undefined) return { title: 'The run has failed', text: 'Its trace shows the reason.' };
  const [payment, letter] = ['ToolApproval', 'TaskApproval'].map((kind) => {
    const found = newest(approvals, kind);
    return found && HELD_BACK[found.status.phase];
  });
  if (payment) return { title: 'The run has failed, as it should', text: `No money went out: ${payment.payment}.` };
  if (letter)
    return {
      title: 'The run has failed, as it should',
      text: `The payment was made because a person agreed. The letter did not go out: ${letter.letter}.`,
    };
  return { title: 'The run has failed', text: 'Your decisions were not the cause. Its trace shows the cause.' };
}

/** The approval that waits for the person now. */
export function openOne(approvals: readonly RunApproval[]): RunApproval | undefined {
  return approvals.find(isOpen);
}
