// The output under review, by its format: Markdown or plain text, or a JSON tree; and how it differs from the version before.
import { Suspense, useMemo, useState } from 'react';
import { Card } from '../../../ui/layout/Card.tsx';
import { CodeBlock } from '../../../ui/text/CodeBlock.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { Markdown } from '../../../ui/text/Markdown.tsx';
import { SegmentedControl, type Segment } from '../../../ui/input/SegmentedControl.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { outputText, type TaskApproval } from '../model/approval.ts';
import { readInput } from '../model/input-text.ts';
import { HexView } from './HexView.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';

const VersionDiff = lazyPart(async () => (await import('./VersionDiff.tsx')).VersionDiff);

export interface OutputCardProps {
  readonly approval: TaskApproval;
  /** The version that this one supersedes; undefined for the first, or while it is read. */
  readonly before: TaskApproval | undefined;
}

type View = 'shown' | 'raw' | 'bytes' | 'diff';

export function OutputCard({ approval, before }: OutputCardProps) {
  const [view, setView] = useState<View>('shown');
  const text = useMemo(() => outputText(approval), [approval]);
  const value = useMemo(() => jsonOf(approval, text), [approval, text]);
  const views: Segment<View>[] = [
    { value: 'shown', label: value === undefined ? 'Text' : 'Tree' },
    { value: 'raw', label: 'Raw' },
    { value: 'bytes', label: 'Bytes' },
    ...(before ? [{ value: 'diff', label: `Changes since ${before.cycle}` } as const] : []),
  ];
  const shown = view === 'diff' && !before ? 'shown' : view;
  return (
    <Card
      title={approval.wholeTask ? 'Output of the run' : 'Output under review'}
      description={`Cycle ${approval.cycle} of at most ${approval.maxCycles}`}
      actions={
        <>
          <SegmentedControl label="How to show the output" value={shown} segments={views} onChange={setView} className="h-7" />
          <CopyButton text={text} label="Copy the output" />
        </>
      }
    >
      {text === '' ? (
        <p className="text-muted">The output is empty.</p>
      ) : shown === 'raw' ? (
        <CodeBlock wrap text={text} label="Output, as text" fileName={value === undefined ? 'output.txt' : 'output.json'} />
      ) : shown === 'bytes' ? (
        <HexView text={text} label="Output, bytes" />
      ) : shown === 'diff' && before ? (
        <Suspense fallback={<Skeleton className="h-24 w-full" />}>
          <VersionDiff before={before} after={approval} />
        </Suspense>
      ) : value !== undefined ? (
        <JsonTree value={value} label="Output" openDepth={3} />
      ) : (
        <Markdown text={text} className="max-h-[36rem] overflow-auto" />
      )}
    </Card>
  );
}

/** The value where the output is JSON that can be shown as such. */
function jsonOf({ json, output }: TaskApproval, text: string): unknown {
  if (!json) return undefined;
  if (typeof output !== 'string') return output;
  const read = readInput(text);
  return 'value' in read ? read.value : undefined;
}
