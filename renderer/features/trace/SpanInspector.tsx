// Everything the trace has about one span, beside the waterfall.
import { CopyButton } from '../../ui/CopyButton.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Inspector } from '../../ui/Inspector.tsx';
import { JsonTree } from '../../ui/JsonTree.tsx';
import { KINDS, STATES } from './span-look.ts';
import type { Span } from './spans.ts';
import type { RunTrace } from './use-run-trace.ts';

export interface SpanInspectorProps {
  readonly span: Span;
  readonly trace: RunTrace;
  readonly namespace: string;
  readonly now: number;
  readonly onClose: () => void;
}

export function SpanInspector({ span, trace, now, onClose }: SpanInspectorProps) {
  const entries = span.entries.map((place) => trace.store.entries[place]);
  return (
    <Inspector
      title={`${KINDS[span.kind].label}: ${span.name}`}
      storageKey="trace-inspector"
      onClose={onClose}
      actions={<CopyButton label="Copy span as JSON" text={() => JSON.stringify(entries, null, 2)} />}
    >
      <div className="flex flex-col gap-4 p-4">
        <DescriptionList
          items={[
            { term: 'State', detail: STATES[span.state].label },
            { term: 'Duration', detail: formatDuration((span.end ?? now) - span.start) },
          ]}
        />
        <JsonTree label="Entries" value={entries} />
      </div>
    </Inspector>
  );
}
