// Two texts in one, with removals and insertions marked: review cycles, edited inputs. All text is untrusted.
import { useMemo } from 'react';
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import { wordParts } from '../yaml/text-diff.ts';

export interface WordDiffProps {
  readonly before: string;
  readonly after: string;
}

export function WordDiff({ before, after }: WordDiffProps) {
  const parts = useMemo(() => wordParts(before, after), [before, after]);
  return (
    <div className="text-base leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
      {parts.map(({ type, text }, index) => {
        if (type === 'added')
          return (
            <ins key={index} className="rounded-xs bg-ok-soft text-ok decoration-1">
              <UntrustedText text={text} />
            </ins>
          );
        if (type === 'removed')
          return (
            <del key={index} className="rounded-xs bg-danger-soft text-danger decoration-1">
              <UntrustedText text={text} />
            </del>
          );
        return <UntrustedText key={index} text={text} />;
      })}
    </div>
  );
}
