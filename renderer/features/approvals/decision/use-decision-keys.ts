// Effects of the buttons and keys of a decision.
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import type { DecisionControl } from './use-decision.ts';

export interface DecisionKeys {
  readonly control: DecisionControl;
  readonly blocked: string | undefined;
  readonly approveBlocked: string | undefined;
  /** Undefined where work cannot be sent back at all. */
  readonly changes: { readonly blocked: string | undefined } | undefined;
  readonly comment: string;
  readonly focusComment: () => void;
}

export interface DecisionActs {
  readonly approve: () => void;
  readonly deny: () => void;
  readonly sendBack: () => void;
}

const group = 'Approvals';

function isField(element: Element | null): boolean {
  return element?.closest('input, textarea, select, [contenteditable="true"]') != null;
}

export function useDecisionKeys({ control, blocked, approveBlocked, changes, comment, focusComment }: DecisionKeys): DecisionActs {
  const { stage, choose, confirm, takeBack } = control;
  const idle = stage.name === 'idle';
  const waiting = !idle && stage.name !== 'sending';
  /** A key without effect announces the reason, which the disabled button shows. */
  const unless = (problem: string | undefined, act: () => void) => (problem === undefined ? act() : announce(problem));
  const acts: DecisionActs = {
    approve: () => unless(blocked ?? approveBlocked, () => choose('approved')),
    deny: () => unless(blocked, () => choose('denied')),
    sendBack: () => {
      if (changes === undefined) return;
      const problem = blocked ?? changes.blocked;
      if (problem !== undefined) return announce(problem);
      // The agent receives the comment, so an empty one cannot be sent.
      if (comment.trim() === '') focusComment();
      else choose('request_changes');
    },
  };
  const submit = () => {
    if (stage.name === 'arm' || stage.name === 'hold') confirm();
    else if (idle && changes !== undefined) acts.sendBack();
    // In a field of the edited input; elsewhere a call is approved by its own key.
    else if (idle && isField(document.activeElement)) acts.approve();
  };
  useShortcut({ group, id: 'approvals.approve', keys: 'a', label: 'Approve', when: idle, run: acts.approve });
  useShortcut({ group, id: 'approvals.deny', keys: 'd', label: 'Deny', when: idle, run: acts.deny });
  useShortcut({
    group,
    id: 'approvals.changes',
    keys: 'r',
    label: 'Request changes',
    when: idle && changes !== undefined,
    run: acts.sendBack,
  });
  useShortcut({ group, id: 'approvals.comment', keys: 'c', label: 'Comment', run: focusComment });
  useShortcut({ group, id: 'approvals.submit', keys: 'mod+enter', label: 'Submit the decision', quiet: true, run: submit });
  const back = { group, label: 'Undo the decision', quiet: true, when: waiting, run: takeBack };
  useShortcut({ ...back, id: 'approvals.takeBack', keys: 'escape' });
  useShortcut({ ...back, id: 'approvals.undo', keys: 'u' });
  return acts;
}
