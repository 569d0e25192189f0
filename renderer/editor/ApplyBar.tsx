// The line below an edited object: its state, and the next actions.
import { useMemo } from 'react';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { Button } from '../ui/Button.tsx';
import type { Editing } from './editing.ts';
import { readObject } from '../yaml/serialise.ts';
import type { Applying } from './use-apply.ts';
import type { DraftState } from './use-draft.ts';

export interface ApplyBarProps {
  readonly editing: Editing;
  readonly draft: DraftState;
  readonly applying: Applying;
  readonly isNew: boolean;
  readonly onDiscard: () => void;
}

export function ApplyBar({ editing, draft, applying, isNew, onDiscard }: ApplyBarProps) {
  const { dirty, text, readOnlyReason } = editing;
  const unreadable = useMemo(() => (dirty || isNew ? 'errors' in readObject(text) : false), [dirty, isNew, text]);
  const nothing = !dirty && !isNew ? 'No changes yet' : undefined;
  const broken = unreadable ? 'Fix the syntax errors first' : undefined;
  const state = !dirty ? (isNew ? '' : 'No changes') : draft.kept ? 'Unsaved changes, kept as a draft on this machine' : 'Unsaved changes';
  const blocked = readOnlyReason ?? nothing ?? broken;
  useShortcut({
    id: 'editor.review',
    keys: 'mod+enter',
    label: 'Review the change',
    when: applying.state.step === 'editing' && blocked === undefined,
    run: editing.review,
  });
  return (
    <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-t border-border bg-raised px-4 py-2">
      <span role="status" className="min-w-0 flex-1 text-sm text-muted">
        {state}
      </span>
      {dirty && (
        <Button variant="ghost" onClick={onDiscard}>
          Discard changes
        </Button>
      )}
      <Button variant="primary" busy={applying.state.step === 'asking'} disabledReason={blocked} onClick={editing.review}>
        {isNew ? 'Review and create' : 'Review and apply'}
      </Button>
    </div>
  );
}
