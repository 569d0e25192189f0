// Markdown that somebody else wrote, as React nodes: no HTML, no images, links that say where they go. The parser is loaded when first needed.
import { Suspense } from 'react';
import { cn } from './cn.ts';
import { excerptOf } from './large-text.ts';
import { FallbackBoundary } from './FallbackBoundary.tsx';
import { UntrustedText } from './UntrustedText.tsx';
import { lazyPart } from './lazy-part.ts';

const MarkdownBody = lazyPart(async () => (await import('./MarkdownBody.tsx')).MarkdownBody);

export interface MarkdownProps {
  readonly text: string;
  readonly className?: string;
}

/** Parsing is linear but not free; past this the plain text is shown. */
const PARSED_MAX_CHARS = 100_000;

/** Quotes and lists within each other, deeper than anybody writes them: each level costs the parser all that is in it. */
const TANGLED = /^(?:[ \t]*>){33}|^[ \t]{100,}(?:[-*+]|\d+[.)])[ \t]/m;

export function Markdown({ text, className }: MarkdownProps) {
  const plain = <UntrustedText block text={excerptOf(text).text} />;
  return (
    <div className={cn('min-w-0', className)}>
      {text.length > PARSED_MAX_CHARS || TANGLED.test(text) ? (
        plain
      ) : (
        <FallbackBoundary key={text} fallback={plain}>
          <Suspense fallback={plain}>
            <MarkdownBody text={text} />
          </Suspense>
        </FallbackBoundary>
      )}
    </div>
  );
}
