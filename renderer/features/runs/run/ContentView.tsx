// Content written by a model, tool or person: as text, Markdown or JSON, with a note on truncation and a download.
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { formatBytes } from '../../../ui/status/format.ts';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { download } from '../../../ui/text/large-text.ts';
import { Markdown } from '../../../ui/text/Markdown.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { contentForm, parsedJson } from './message-threads.ts';

export interface ContentViewProps {
  /** "Output of the task". */
  readonly label: string;
  readonly text: string;
  /** The server stores only its first 64 KiB. */
  readonly truncated?: boolean | undefined;
  readonly fileName: string;
}

type Form = 'json' | 'markdown' | 'text';

const FORM_WORDS: Readonly<Record<Form, string>> = { json: 'JSON', markdown: 'Markdown', text: 'Text' };
const FORM_MAX_CHARS = 200_000;

/** Columns need characters of one width; sentences do not. */
const isProse = (text: string): boolean => text.length <= FORM_MAX_CHARS && !/\t| {2}/.test(text);

export function ContentView({ label, text, truncated, fileName }: ContentViewProps) {
  const first = useMemo(() => (text.length > FORM_MAX_CHARS && parsedJson(text) === undefined ? 'text' : contentForm(text)), [text]);
  const [chosen, setChosen] = useState<Form>();
  const form = chosen ?? first;
  const value = useMemo(() => (form === 'json' ? parsedJson(text) : undefined), [form, text]);
  const forms: readonly Form[] = first === 'json' ? ['json', 'text'] : ['markdown', 'text'];
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={`${label} as`}
          value={form}
          onChange={setChosen}
          segments={forms.map((each) => ({ value: each, label: FORM_WORDS[each] }))}
        />
        <span className="text-sm text-muted tabular-nums">{formatBytes(text.length)}</span>
        {truncated === true && <span className="text-sm text-warn">cut at 64 KiB by the server</span>}
        <span className="flex-1" />
        <CopyButton label={`Copy ${label.toLowerCase()}`} text={text} />
        <Button size="sm" icon={<Download />} onClick={() => download(fileName, text)}>
          Download
        </Button>
      </div>
      {form === 'json' && value !== undefined && <JsonTree value={value} label={label} />}
      {form === 'markdown' && (
        <div
          className="max-h-[40rem] overflow-auto rounded-md border border-border bg-surface px-4 py-3"
          tabIndex={0}
          role="region"
          aria-label={label}
        >
          <Markdown text={text} />
        </div>
      )}
      {form === 'text' && <CodeBlock wrap prose={isProse(text)} label={label} text={text} fileName={fileName} />}
    </div>
  );
}
