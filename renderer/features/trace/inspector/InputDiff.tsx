// Changes of a value, line by line. Loaded when there is a change.
import { useMemo } from 'react';
import { cn } from '../../../ui/cn.ts';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { lineParts, type DiffPart } from '../../../yaml/text-diff.ts';

export interface InputDiffProps {
  readonly title: string;
  readonly before: unknown;
  readonly after: unknown;
}

const LOOKS: Readonly<Partial<Record<DiffPart['type'], { readonly look: string; readonly word: string; readonly sign: string }>>> = {
  added: { look: 'bg-ok-soft text-ok', word: 'Added', sign: '+' },
  removed: { look: 'bg-danger-soft text-danger', word: 'Removed', sign: '−' },
};

const written = (value: unknown): string => `${typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')}\n`;

export function InputDiff({ title, before, after }: InputDiffProps) {
  const [old, now] = [written(before), written(after)];
  // Memoised: comparing long texts takes a while, and the parent renders again while the run is open.
  const parts = useMemo(() => lineParts(old, now), [old, now]);
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="mb-1.5 text-sm font-medium text-muted">{title}</h3>
      <div className="max-h-80 overflow-auto rounded-md border border-border bg-sunken py-1 font-mono text-sm">
        {parts.map((part, index) => (
          <div key={index} className={cn('flex px-2', LOOKS[part.type]?.look)}>
            <span className="w-4 shrink-0 select-none" aria-label={LOOKS[part.type]?.word}>
              {LOOKS[part.type]?.sign}
            </span>
            <UntrustedText block dir="ltr" text={part.text.replace(/\n$/, '')} />
          </div>
        ))}
      </div>
    </section>
  );
}
