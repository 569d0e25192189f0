// The line below an edited object: its state, and the next actions.
import { CircleCheck, Undo2 } from 'lucide-react';
import { useMemo } from 'react';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { Button } from '../ui/button/Button.tsx';
import { bottomBar } from '../ui/layout/bottom-bar.ts';
import type { Editing } from './editing.ts';
import { readObject } from '../yaml/serialise.ts';
import type { Applying } from './use-apply.ts';
import type { DraftState } from './use-draft.ts';

/** The last transaction and its undo. */
export interface AppliedEdits {
  readonly words: string;
  readonly undo: () => void;
}

export interface ApplyBarProps {
  readonly editing: Editing;
  readonly draft: DraftState;
  readonly applying: Applying;
  readonly isNew: boolean;
  /** Shown while nothing has been changed since. */
  readonly applied: AppliedEdits | undefined;
  readonly onDiscard: () => void;
}

export function ApplyBar({ editing, draft, applying, isNew, applied, onDiscard }: ApplyBarProps) {
  const { dirty, text, readOnlyReason } = editing;
  const unreadable = useMemo(() => (dirty || isNew ? 'errors' in readObject(text) : false), [dirty, isNew, text]);
  const nothing = !dirty && !isNew ? 'No changes yet' : undefined;
  const broken = unreadable ? 'Fix the syntax errors first' : undefined;
  const unchanged = isNew ? '' : (applied?.words ?? 'No changes');
  const changed = draft.kept ? 'Unsaved changes, kept as a draft on this machine' : 'Unsaved changes';
  const state = dirty ? changed : unchanged;
  const blocked = readOnlyReason ?? nothing ?? broken;
  useShortcut({
    id: 'editor.review',
    keys: 'mod+enter',
    label: 'Review the change',
    when: applying.state.step === 'editing' && blocked === undefined,
    run: editing.review,
  });
  return (
    <div ref={bottomBar} className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-t border-border bg-raised px-4 py-2">
      <span role="status" className="flex min-w-0 flex-1 items-center gap-1.5 text-sm text-muted">
        {!dirty && applied && <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />}
        {state}
      </span>
      {!dirty && applied && (
        <Button variant="ghost" icon={<Undo2 />} onClick={applied.undo}>
          Undo all
        </Button>
      )}
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
