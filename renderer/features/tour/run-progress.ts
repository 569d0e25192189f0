// How far the tour's run has come, from the run and its approvals. Pure.
import { phaseOf, type Run } from '../runs/run.ts';
import { approvalPhase, isOpen, type RunApproval } from '../runs/run-approvals.ts';

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
  const phase = approvalPhase(approval);
  if (phase === 'Pending') return { id: title, title, state: 'now', note: 'waits for you' };
  return { id: title, title, ...(DECIDED[phase] ?? { state: 'done', note: phase }) };
}

export function marksOf(run: Run, approvals: readonly RunApproval[]): readonly Mark[] {
  const phase = phaseOf(run);
  const ended = phase === 'Succeeded' ? 'done' : phase === 'Failed' || phase === 'DeadLetter' ? 'failed' : 'later';
  return [
    {
      id: 'taken',
      title: 'A worker takes the run',
      state: phase === 'Pending' && run.status.startedAt === undefined ? 'now' : 'done',
      note: run.status.assignedWorker ?? '',
    },
    decision('You decide on the payment', newest(approvals, 'ToolApproval')),
    decision('You read the letter', newest(approvals, 'TaskApproval')),
    { id: 'end', title: 'The run ends', state: ended, note: ended === 'failed' ? 'failed' : '' },
  ];
}

/** What waits for the person now. */
export function openOne(approvals: readonly RunApproval[]): RunApproval | undefined {
  return approvals.find(isOpen);
}
