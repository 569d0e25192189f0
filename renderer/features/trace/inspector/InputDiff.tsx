// Changes of a value, line by line. Loaded when there is a change.
import { diffLines } from 'diff';
import { useMemo } from 'react';
import { cn } from '../../../ui/cn.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export interface InputDiffProps {
  readonly title: string;
  readonly before: unknown;
  readonly after: unknown;
}

const written = (value: unknown): string => `${typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')}\n`;

export function InputDiff({ title, before, after }: InputDiffProps) {
  const [old, now] = [written(before), written(after)];
  // Memoised: comparing long texts takes a while, and the parent renders again while the run is open.
  const parts = useMemo(() => diffLines(old, now), [old, now]);
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="mb-1.5 text-sm font-medium text-muted">{title}</h3>
      <div className="max-h-80 overflow-auto rounded-md border border-border bg-sunken py-1 font-mono text-sm">
        {parts.map((part, index) => (
          <div key={index} className={cn('flex px-2', part.added && 'bg-ok-soft text-ok', part.removed && 'bg-danger-soft text-danger')}>
            <span className="w-4 shrink-0 select-none" aria-label={part.added ? 'Added' : part.removed ? 'Removed' : undefined}>
              {part.added ? '+' : part.removed ? '−' : ''}
            </span>
            <UntrustedText block dir="ltr" text={part.value.replace(/\n$/, '')} />
          </div>
        ))}
      </div>
    </section>
  );
}
