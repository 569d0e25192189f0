// One recorded value: as a tree, text or Markdown, or raw.
import { Scissors } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { Markdown } from '../../../ui/text/Markdown.tsx';
import { readExactJson } from '../../../ui/text/exact-json.ts';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';

export interface ValueViewProps {
  readonly title: string;
  readonly value: unknown;
  readonly truncated?: boolean | undefined;
  /** A text is prose that a model wrote: read as Markdown. */
  readonly prose?: boolean;
}

const MODES = [
  { value: 'pretty', label: 'Pretty' },
  { value: 'raw', label: 'Raw' },
] as const;

/** Longer text is not parsed as JSON. */
const PARSED_MAX_CHARS = 512 * 1024;

function structureOf(value: unknown): object | undefined {
  if (typeof value === 'object' && value !== null) return value;
  if (typeof value !== 'string' || value.length > PARSED_MAX_CHARS || !/^\s*[[{]/.test(value)) return undefined;
  const parsed = readExactJson(value);
  return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
}

export function ValueView({ title, value, truncated, prose = false }: ValueViewProps) {
  const id = useId();
  const [mode, setMode] = useState<'pretty' | 'raw'>('pretty');
  const structure = useMemo(() => structureOf(value), [value]);
  const raw = useMemo(() => (typeof value === 'string' ? value : JSON.stringify(value, null, 2)), [value]);
  if (value === undefined) return null;
  return (
    <div role="group" aria-labelledby={id} className="min-w-0">
      <header className="mb-1.5 flex flex-wrap items-center gap-2">
        <h3 id={id} className="flex-1 text-sm font-medium text-muted">
          {title}
        </h3>
        {truncated === true && (
          <Badge tone="warn" icon={<Scissors />} title="The trace keeps the first 64 KiB of each value">
            Cut at 64 KiB
          </Badge>
        )}
        {(structure ?? (prose && raw !== '')) && (
          <SegmentedControl label={`${title} as`} value={mode} segments={MODES} onChange={setMode} />
        )}
        <CopyButton label={`Copy ${title.toLowerCase()}`} text={raw} />
      </header>
      {structure && mode === 'pretty' ? (
        <JsonTree label={title} value={structure} className="max-h-80" />
      ) : raw === '' ? (
        <p className="text-sm text-faint">Empty</p>
      ) : prose && mode === 'pretty' ? (
        <div
          tabIndex={0}
          role="region"
          aria-label={title}
          dir="auto"
          className="max-h-80 overflow-auto rounded-md border border-border bg-surface px-3 py-2 -outline-offset-2"
        >
          <Markdown text={raw} />
        </div>
      ) : (
        <CodeBlock label={title} text={raw} wrap />
      )}
    </div>
  );
}
