// Untrusted Markdown as React nodes: no HTML, no images, links with a visible target. The parser is loaded on demand.
import { Suspense, type ComponentType } from 'react';
import { cn } from '../cn.ts';
import { excerptOf } from './large-text.ts';
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

/** Parsing is linear but not free; longer text is shown plain. */
const PARSED_MAX_CHARS = 100_000;

/** Nesting of quotes and lists beyond any real text: each level costs the parser all of its content. */
const TANGLED = /^(?:[ \t]*>){33}|^[ \t]{100,}(?:[-*+]|\d+[.)])[ \t]/m;

export function Markdown({ text, className, body: Body = LazyBody }: MarkdownProps) {
  const plain = <UntrustedText block text={excerptOf(text).text} />;
  return (
    <div className={cn('min-w-0', className)}>
      {text.length > PARSED_MAX_CHARS || TANGLED.test(text) ? (
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
