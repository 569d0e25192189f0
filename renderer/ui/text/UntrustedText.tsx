// Text written by a model, a tool, a log or a person: always as text, with hidden characters made visible.
import { memo } from 'react';
import { cn } from '../cn.ts';
import { piecesOf } from './hidden-characters.ts';

export interface UntrustedTextProps {
  readonly text: string;
  /** Keeps line breaks and spaces. */
  readonly block?: boolean;
  readonly mono?: boolean;
  /** Default: the direction of its language for a block of prose, left to right for all else. */
  readonly dir?: 'ltr' | 'auto';
  readonly className?: string;
}

/** Beyond this many marks the rest would only be noise, and each is a node of the page. */
const MARKS_MAX = 2000;

export const UntrustedText = memo(function UntrustedText({ text, block, mono, dir, className }: UntrustedTextProps) {
  return (
    <bdi
      dir={dir ?? (block && !mono ? 'auto' : 'ltr')}
      className={cn('[overflow-wrap:anywhere]', block && 'block whitespace-pre-wrap', mono && 'font-mono text-sm', className)}
    >
      <MarkedText text={text} />
    </bdi>
  );
});

/** The text alone, which takes the direction of what it is part of. */
export function MarkedText({ text }: { readonly text: string }) {
  const pieces = piecesOf(text, MARKS_MAX + 1);
  const cut = pieces.length > MARKS_MAX;
  return (
    <>
      {pieces.slice(0, MARKS_MAX).map((piece, index) =>
        piece.hidden === undefined ? (
          piece.text
        ) : (
          <mark
            key={index}
            data-hidden={piece.hidden}
            title={`Hidden character: ${piece.meaning}`}
            className="mx-px rounded-xs bg-mark px-0.5 font-mono text-[0.8em] text-on-mark select-all"
          >
            {piece.label}
          </mark>
        ),
      )}
      {cut && <em className="text-danger not-italic"> … the rest has too many hidden characters to show. Copy it to read it.</em>}
    </>
  );
}
