// The exact input of a call: as a tree, as the requested text, byte by byte; and the way to edit it.
import { EyeOff, PencilLine } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { HashLine } from '../record/HashLine.tsx';
import { HexView } from './HexView.tsx';
import { countHiddenIn } from './hidden-in-json.ts';
import { readInput } from '../model/input-text.ts';

export interface InputCardProps {
  readonly title: string;
  readonly text: string;
  /** Empty where none is known. */
  readonly hash: string;
  /** Reason why it cannot be edited. */
  readonly note?: string | undefined;
  /** Absent where it cannot be edited. */
  readonly onEdit?: (() => void) | undefined;
}

type View = 'pretty' | 'raw' | 'bytes';
const VIEWS = [
  { value: 'pretty', label: 'Pretty' },
  { value: 'raw', label: 'Raw' },
  { value: 'bytes', label: 'Bytes' },
] as const;

export function InputCard({ title, text, hash, note, onEdit }: InputCardProps) {
  const [view, setView] = useState<View>('pretty');
  const read = useMemo(() => readInput(text), [text]);
  const hidden = useMemo(() => ('value' in read ? countHiddenIn(read.value) : 0), [read]);
  const value = 'value' in read ? read.value : undefined;
  return (
    <Card
      title={
        <span className="inline-flex flex-wrap items-center gap-2">
          {title}
          {hidden > 0 && (
            <Badge tone="warn" icon={<EyeOff />}>
              {hidden === 1 ? '1 hidden character' : `${hidden} hidden characters`}
            </Badge>
          )}
        </span>
      }
      actions={
        <>
          <SegmentedControl label="How to show the input" value={view} segments={VIEWS} onChange={setView} className="h-7" />
          <CopyButton text={text} label="Copy the input" />
          {onEdit && (
            <Button size="sm" icon={<PencilLine />} onClick={onEdit}>
              Edit
            </Button>
          )}
        </>
      }
    >
      {note !== undefined && <p className="mb-2 text-sm text-muted">{note}</p>}
      {text === '' ? (
        <p className="text-muted">The call has no input.</p>
      ) : view === 'bytes' ? (
        <HexView text={text} label={`${title}, bytes`} />
      ) : view === 'raw' || value === undefined ? (
        <CodeBlock wrap text={text} label={`${title}, as text`} fileName="input.json" />
      ) : (
        <JsonTree value={value} label={title} openDepth={4} className="max-h-96" />
      )}
      {read.kind === 'invalid' && (
        <p role="alert" className="mt-2 text-sm text-danger">
          This is not an input that a tool can be called with: {read.problem} Deny it, or read it raw and byte by byte.
        </p>
      )}
      {read.kind === 'other' && (
        <p role="alert" className="mt-2 text-sm text-danger">
          The input of a tool must be an object, and this is not one. Deny it.
        </p>
      )}
      <HashLine hash={hash} value={value} />
    </Card>
  );
}
