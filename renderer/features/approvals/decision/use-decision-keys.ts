// Effects of the buttons and keys of a decision.
import type { RefObject } from 'react';
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
  readonly commentField: RefObject<HTMLTextAreaElement | null>;
  /** The group of the buttons, which can take the focus. */
  readonly buttons: RefObject<HTMLElement | null>;
}

export interface DecisionActs {
  readonly approve: () => void;
  readonly deny: () => void;
  readonly sendBack: () => void;
}

const group = 'Approvals';

type Place = 'comment' | 'sent with an approval' | 'another field' | 'no field';

function placeOf(focused: Element | null, comment: Element | null): Place {
  if (focused?.closest('input, textarea, select, [contenteditable="true"]') == null) return 'no field';
  if (focused === comment) return 'comment';
  return focused.closest('[data-sent-with-approval]') ? 'sent with an approval' : 'another field';
}

export function useDecisionKeys(keys: DecisionKeys): DecisionActs {
  const { control, blocked, approveBlocked, changes, comment, commentField, buttons } = keys;
  const { stage, choose, confirm, takeBack } = control;
  const focusComment = () => commentField.current?.focus();
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
  // A comment may be the reason for a denial, and fields outside of the decision belong to none.
  const submit = () => {
    const place = placeOf(document.activeElement, commentField.current);
    if (place === 'another field') return;
    if (stage.name === 'arm' || stage.name === 'hold') confirm();
    else if (!idle) return;
    else if (place === 'sent with an approval') acts.approve();
    else if (changes !== undefined) acts.sendBack();
    else if (place === 'comment') buttons.current?.focus();
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
