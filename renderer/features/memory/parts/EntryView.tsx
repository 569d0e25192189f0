// One entry: its key, its value as text or as unfolding JSON, and what can be done with it.
import { Pencil, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { formatBytes } from '../../../ui/status/format.ts';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { bytesOf, jsonOf, scoreText } from '../model/entry-text.ts';
import type { Entry } from '../model/use-entries.ts';

export type EntryCommand = 'edit' | 'delete';

export interface EntryViewProps {
  readonly entry: Entry;
  readonly onCommand: (command: EntryCommand) => void;
}

type Look = 'json' | 'text';

export function EntryView({ entry: { key, value, score }, onCommand }: EntryViewProps) {
  const json = useMemo(() => jsonOf(value), [value]);
  const [look, setLook] = useState<Look>('json');
  const { reason } = useCanWrite();
  return (
    <article aria-label={`Entry ${key}`} className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4">
      <header className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-40 flex-1">
          <div className="flex items-start gap-1">
            <h2 className="min-w-0">
              <UntrustedText text={key} mono className="text-base font-semibold text-text" />
            </h2>
            <CopyButton text={key} label="Copy the key" className="-my-0.5" />
          </div>
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            {formatBytes(bytesOf(value))}
            {score !== undefined && score !== 0 && <Badge tone="accent">score {scoreText(score)}</Badge>}
          </p>
        </div>
        {json && (
          <SegmentedControl
            label="Show the value as"
            value={look}
            onChange={setLook}
            segments={[
              { value: 'json', label: 'JSON' },
              { value: 'text', label: 'Text' },
            ]}
          />
        )}
        <div className="flex flex-wrap gap-2">
          <CopyButton words text={value} label="Copy value" className="h-control" />
          <Button icon={<Pencil />} disabledReason={reason} onClick={() => onCommand('edit')}>
            Edit entry
          </Button>
          <Button variant="danger-quiet" icon={<Trash2 />} disabledReason={reason} onClick={() => onCommand('delete')}>
            Delete entry
          </Button>
        </div>
      </header>
      {json && look === 'json' ? (
        <JsonTree label="Value as JSON" value={json.value} openDepth={3} className="max-h-none flex-1" />
      ) : (
        <CodeBlock label="Value" text={value} fileName="value.txt" wrap />
      )}
    </article>
  );
}
