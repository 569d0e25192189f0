// Text of an answer as Markdown, even while it grows.
import { memo, useMemo } from 'react';
import { cn } from '../../../ui/cn.ts';
import { Markdown } from '../../../ui/text/Markdown.tsx';
import { MarkdownBody } from '../../../ui/text/MarkdownBody.tsx';
import { isTangled } from '../../../ui/text/tangled.ts';
import { streamBlocks } from '../model/stream-blocks.ts';

const Block = memo(function Block({ text }: { readonly text: string }) {
  return <Markdown text={text} body={MarkdownBody} className={cn(text.startsWith('#') && 'not-first:mt-2')} />;
});

/** Blocks that are parsed one by one; the rest is one block. */
const BLOCKS_MAX = 2_000;

function blocksOf(text: string): readonly string[] {
  // Blocks that are parsed quickly one by one may be slow together.
  if (isTangled(text)) return [text];
  const blocks = streamBlocks(text);
  return blocks.length <= BLOCKS_MAX ? blocks : [...blocks.slice(0, BLOCKS_MAX), blocks.slice(BLOCKS_MAX).join('')];
}

export function AnswerText({ text }: { readonly text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div className="flex flex-col gap-2 leading-relaxed">
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </div>
  );
}
