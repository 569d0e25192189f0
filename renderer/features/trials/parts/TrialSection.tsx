// The trial in a form of a run: one line that says what is set, and its fields below.
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { trialSpecOf } from '../model/trial-draft.ts';
import { trialText } from '../model/trial-text.ts';
import { TrialFields, type TrialFieldsProps } from './TrialFields.tsx';

export interface TrialSectionProps extends TrialFieldsProps {
  readonly startsOpen: boolean;
}

export function TrialSection({ startsOpen, ...fields }: TrialSectionProps) {
  const [open, setOpen] = useState(startsOpen);
  const spec = trialSpecOf(fields.draft, fields.scope);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className="rounded-lg border border-border">
      <summary className="flex min-h-9 cursor-pointer items-center gap-2 rounded-lg px-3 py-1.5">
        <FlaskConical aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="font-medium">Trial</span>
        <span className="min-w-0 flex-1 truncate text-sm text-muted">
          {spec === undefined ? 'Breakpoints, pinned outputs, a part of the system' : trialText(spec)}
        </span>
      </summary>
      {open && (
        <div className="border-t border-border p-3">
          <TrialFields {...fields} />
        </div>
      )}
    </details>
  );
}
