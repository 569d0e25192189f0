// Text of an answer as Markdown, also while it grows.
import { memo, useMemo } from 'react';
import { cn } from '../../../ui/cn.ts';
import { Markdown } from '../../../ui/text/Markdown.tsx';
import { MarkdownBody } from '../../../ui/text/MarkdownBody.tsx';
import { streamBlocks } from '../model/stream-blocks.ts';

const Block = memo(function Block({ text }: { readonly text: string }) {
  return <Markdown text={text} body={MarkdownBody} className={cn(text.startsWith('#') && 'not-first:mt-2')} />;
});

export function AnswerText({ text }: { readonly text: string }) {
  const blocks = useMemo(() => streamBlocks(text), [text]);
  return (
    <div className="flex flex-col gap-2 leading-relaxed">
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </div>
  );
}
