// The parsing half of Markdown, a chunk of its own.
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { cn } from '../cn.ts';
import { CopyButton } from '../button/CopyButton.tsx';
import { OutsideLink } from '../link/OutsideLink.tsx';
import { showHiddenParts } from './show-hidden-parts.ts';
import { UntrustedText } from './UntrustedText.tsx';
import { withMarks } from './with-marks.tsx';

interface TextNode {
  readonly value?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly TextNode[];
}

/** Text of a node of the parser and of all nodes in it. */
export function textOf(node: TextNode | undefined): string {
  if (typeof node?.value === 'string') return node.value;
  return node?.children?.map(textOf).join('') ?? '';
}

/** Language of a block of code, from the class that the parser gives it. */
function languageOf(node: TextNode | undefined): string | undefined {
  const classes = node?.children?.[0]?.properties?.['className'];
  const names = Array.isArray(classes) ? classes.map(String) : [];
  return names.find((name) => name.startsWith('language-'))?.slice('language-'.length);
}

const PLUGINS = [remarkGfm, showHiddenParts];

export const UNTRUSTED = {
  a: ({ href, children }) => <OutsideLink href={href ?? ''}>{children}</OutsideLink>,
  img: ({ alt, src }) => (
    <span className="text-muted">
      [image: <UntrustedText text={[alt, src].filter((each) => typeof each === 'string' && each !== '').join(', ') || 'without a name'} />]
    </span>
  ),
  p: ({ children }) => (
    <p dir="auto" className="my-2 first:mt-0 last:mb-0">
      {withMarks(children)}
    </p>
  ),
  li: ({ children }) => <li className="my-0.5 [unicode-bidi:plaintext]">{withMarks(children)}</li>,
  h1: ({ children }) => (
    <p dir="auto" className="mt-4 mb-2 text-lg font-semibold first:mt-0">
      {withMarks(children)}
    </p>
  ),
  h2: ({ children }) => (
    <p dir="auto" className="mt-4 mb-2 text-md font-semibold first:mt-0">
      {withMarks(children)}
    </p>
  ),
  h3: ({ children }) => (
    <p dir="auto" className="mt-3 mb-1 font-semibold first:mt-0">
      {withMarks(children)}
    </p>
  ),
  h4: ({ children }) => (
    <p dir="auto" className="mt-3 mb-1 font-semibold first:mt-0">
      {withMarks(children)}
    </p>
  ),
  h5: ({ children }) => (
    <p dir="auto" className="mt-3 mb-1 font-medium first:mt-0">
      {withMarks(children)}
    </p>
  ),
  h6: ({ children }) => (
    <p dir="auto" className="mt-3 mb-1 font-medium first:mt-0">
      {withMarks(children)}
    </p>
  ),
  strong: ({ children }) => <strong className="font-semibold">{withMarks(children)}</strong>,
  em: ({ children }) => <em>{withMarks(children)}</em>,
  del: ({ children }) => <del>{withMarks(children)}</del>,
  ul: ({ children, className }) => (
    <ul dir="auto" className={cn('my-2 list-disc ps-5', className?.includes('task-list') && 'list-none ps-1')}>
      {children}
    </ul>
  ),
  ol: ({ children, start }) => (
    <ol dir="auto" start={start} className="my-2 list-decimal ps-5">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote className="my-2 border-l-2 border-border-strong pl-3 text-muted">{children}</blockquote>,
  code: ({ children }) => (
    <code dir="ltr" className="rounded-xs bg-neutral-soft px-1 font-mono text-[0.92em]">
      {withMarks(children)}
    </code>
  ),
  pre: ({ node, children }) => (
    <div className="group/code relative my-2">
      <pre
        tabIndex={0}
        className="overflow-auto rounded-md border border-border bg-sunken p-3 font-mono text-sm [&_code]:bg-transparent [&_code]:p-0"
      >
        {children}
      </pre>
      <div className="absolute top-1 right-1 flex items-center gap-1 rounded-md bg-sunken pl-2 text-xs text-muted">
        {languageOf(node)}
        <CopyButton text={() => textOf(node)} label="Copy code" />
      </div>
    </div>
  ),
  table: ({ children }) => (
    <div tabIndex={0} role="group" aria-label="Table" className="my-2 overflow-auto">
      <table className="border-collapse text-left">{children}</table>
    </div>
  ),
  th: ({ children }) => (
    <th dir="auto" className="border border-border bg-sunken px-2 py-1 font-medium">
      {withMarks(children)}
    </th>
  ),
  td: ({ children }) => (
    <td dir="auto" className="border border-border px-2 py-1">
      {withMarks(children)}
    </td>
  ),
  hr: () => <hr className="my-4 border-border" />,
} satisfies Components;

export type MarkdownComponents = Components;

interface MarkdownBodyProps {
  readonly text: string;
  /** Default: those for untrusted text. */
  readonly components?: MarkdownComponents;
  readonly className?: string;
}

export function MarkdownBody({ text, components = UNTRUSTED, className = '[overflow-wrap:anywhere]' }: MarkdownBodyProps) {
  return (
    <div className={className}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={components} skipHtml={false}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
