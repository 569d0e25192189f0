// Untrusted Markdown as React nodes: no HTML, no images, links with a visible target. The parser is loaded on demand.
import { Suspense, type ComponentType } from 'react';
import { cn } from '../cn.ts';
import { excerptOf } from './large-text.ts';
import { isTangled } from './tangled.ts';
import { FallbackBoundary } from '../feedback/FallbackBoundary.tsx';
import { UntrustedText } from './UntrustedText.tsx';
import { FailureThrown, lazyPart } from '../lazy-part.ts';

const LazyBody = lazyPart(async () => (await import('./MarkdownBody.tsx')).MarkdownBody);

export interface MarkdownProps {
  readonly text: string;
  readonly className?: string;
  /** The parser, from a page that always needs it: text without a pause. */
  readonly body?: ComponentType<{ readonly text: string }>;
}

/** Parsing is not free; longer text is shown plain. */
const PARSED_MAX_CHARS = 100_000;

export function Markdown({ text, className, body: Body = LazyBody }: MarkdownProps) {
  const plain = <UntrustedText block text={excerptOf(text).text} />;
  return (
    <div className={cn('min-w-0', className)}>
      {text.length > PARSED_MAX_CHARS || isTangled(text) ? (
        plain
      ) : (
        <FallbackBoundary content={text} fallback={plain}>
          <FailureThrown value>
            <Suspense fallback={plain}>
              <Body text={text} />
            </Suspense>
          </FailureThrown>
        </FallbackBoundary>
      )}
    </div>
  );
}
