// Two texts: equal ones once, others with removals and insertions marked.
import { Suspense } from 'react';
import { formatBytes } from '../../../ui/status/format.ts';
import { excerptOf } from '../../../ui/text/large-text.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';

const WordDiff = lazyPart(async () => (await import('../../../editor/WordDiff.tsx')).WordDiff);

export interface ComparedTextProps {
  readonly title?: string;
  /** Its name for screen readers; default: the title. */
  readonly label?: string;
  readonly left: string;
  readonly right: string;
}

/** Comparing word by word takes time quadratic in the difference. */
const COMPARED_MAX_CHARS = 20_000;

export function ComparedText({ title, label = title, left, right }: ComparedTextProps) {
  const cut = left.length > COMPARED_MAX_CHARS || right.length > COMPARED_MAX_CHARS;
  const [a, b] = [excerptOf(left, COMPARED_MAX_CHARS).text, excerptOf(right, COMPARED_MAX_CHARS).text];
  return (
    <div className="min-w-0">
      {title !== undefined && <h4 className="mb-1 text-sm font-medium text-muted">{title}</h4>}
      <div
        className="max-h-96 overflow-auto rounded-md border border-border bg-surface px-3 py-2"
        tabIndex={0}
        role="region"
        aria-label={label ?? 'Text of both runs'}
      >
        {left === right ? (
          <>
            <p className="mb-1 text-sm text-muted">{left === '' ? 'Both are empty.' : 'Both are the same:'}</p>
            <UntrustedText block text={a} />
          </>
        ) : (
          <Suspense fallback={<Skeleton />}>
            <WordDiff before={a} after={b} />
          </Suspense>
        )}
      </div>
      {cut && (
        <p className="mt-1 text-sm text-muted">
          The first {formatBytes(COMPARED_MAX_CHARS)} of each are compared; they have {formatBytes(left.length)} and{' '}
          {formatBytes(right.length)}.
        </p>
      )}
    </div>
  );
}
