// Plain text in a frame: commands, output, logs. Long text shows its beginning and can be downloaded.
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { Button } from '../button/Button.tsx';
import { cn } from '../cn.ts';
import { CopyButton } from '../button/CopyButton.tsx';
import { formatBytes } from '../status/format.ts';
import { download, excerptOf } from './large-text.ts';
import { UntrustedText } from './UntrustedText.tsx';

export interface CodeBlockProps {
  readonly text: string;
  /** Its name for screen readers: "Output of the task". */
  readonly label: string;
  readonly fileName?: string;
  readonly wrap?: boolean;
  /** Sentences of a person or a model: in the font of the page. */
  readonly prose?: boolean;
  /** Default: the direction of its language for prose, left to right for all else. */
  readonly dir?: 'ltr' | 'auto';
  readonly className?: string;
}

export function CodeBlock(props: CodeBlockProps) {
  const { text, label, fileName = 'text.txt', wrap = false, prose = false, dir = prose ? 'auto' : 'ltr', className } = props;
  const excerpt = useMemo(() => excerptOf(text), [text]);
  return (
    <div className={cn('group relative min-w-0 rounded-md border border-border bg-sunken', className)}>
      <div className="absolute top-1 right-1 rounded-md bg-sunken opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
        <CopyButton text={text} label="Copy" />
      </div>
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className={cn(
          'max-h-[32rem] overflow-auto rounded-md p-3',
          prose ? 'font-sans text-base' : 'font-mono text-sm',
          wrap ? 'whitespace-pre-wrap' : 'whitespace-pre',
        )}
      >
        <UntrustedText text={excerpt.text} dir={dir} {...(wrap ? { block: true } : { className: '[overflow-wrap:normal]' })} />
      </pre>
      {excerpt.omitted > 0 && (
        <div className="flex flex-wrap items-center gap-2 border-t border-border px-3 py-2 text-sm text-muted">
          <span className="flex-1">
            The first {formatBytes(excerpt.text.length)} of {formatBytes(text.length)}
          </span>
          <Button size="sm" icon={<Download />} onClick={() => download(fileName, text)}>
            Download all
          </Button>
        </div>
      )}
    </div>
  );
}
