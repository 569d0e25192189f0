// What a reviewer changed in the input of a call, line by line. Loaded when there is one.
import { diffLines } from 'diff';
import { cn } from '../../ui/cn.ts';
import { UntrustedText } from '../../ui/UntrustedText.tsx';

export interface InputDiffProps {
  readonly before: unknown;
  readonly after: unknown;
}

const written = (value: unknown): string => `${typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')}\n`;

export function InputDiff({ before, after }: InputDiffProps) {
  const parts = diffLines(written(before), written(after));
  return (
    <section aria-label="Edited input" className="min-w-0">
      <h3 className="mb-1.5 text-sm font-medium text-muted">Changed by the reviewer</h3>
      <div className="max-h-80 overflow-auto rounded-md border border-border bg-sunken py-1 font-mono text-sm">
        {parts.map((part, index) => (
          <div key={index} className={cn('flex px-2', part.added && 'bg-ok-soft text-ok', part.removed && 'bg-danger-soft text-danger')}>
            <span className="w-4 shrink-0 select-none" aria-label={part.added ? 'Added' : part.removed ? 'Removed' : undefined}>
              {part.added ? '+' : part.removed ? '−' : ''}
            </span>
            <UntrustedText block text={part.value.replace(/\n$/, '')} />
          </div>
        ))}
      </div>
    </section>
  );
}
