// All trace data of one span, beside the waterfall.
import { TriangleAlert } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { CopyLinkButton } from '../../../ui/button/CopyLinkButton.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { useCovered } from '../../../inspector/covered.ts';
import { Inspector } from '../../../ui/overlay/Inspector.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { ModelDetails } from './ModelDetails.tsx';
import { PlainDetails } from './PlainDetails.tsx';
import { QuestionDetails } from './QuestionDetails.tsx';
import { KINDS, STATES } from '../waterfall/span-look.ts';
import type { Span, SpanKind } from '../model/spans.ts';
import { ToolDetails } from './ToolDetails.tsx';
import { TurnDetails } from './TurnDetails.tsx';
import type { RunTrace } from '../model/use-run-trace.ts';
import type { TraceEntry } from '@svc/shared/kinds/task/records';

export interface DetailsProps {
  readonly span: Span;
  readonly trace: RunTrace;
  readonly namespace: string;
  readonly now: number;
  readonly turnActions?: ((agent: string) => ReactNode) | undefined;
}

export interface SpanInspectorProps extends DetailsProps {
  /** Address of the span in the console; absent where only this tab has its trace. */
  readonly href?: string | undefined;
  readonly onClose: () => void;
}

const DETAILS: Readonly<Record<SpanKind, ComponentType<DetailsProps>>> = {
  task: PlainDetails,
  attempt: PlainDetails,
  turn: TurnDetails,
  model: ModelDetails,
  tool: ToolDetails,
  approval: QuestionDetails,
  review: QuestionDetails,
  breakpoint: PlainDetails,
  pause: PlainDetails,
  join: PlainDetails,
  note: PlainDetails,
};

export function SpanInspector({ onClose, href, ...props }: SpanInspectorProps) {
  const { span, trace, now } = props;
  const { label, icon: Icon } = KINDS[span.kind];
  const Details = DETAILS[span.kind];
  return (
    <Inspector
      title={
        <span className="flex min-w-0 items-center gap-2">
          <Icon aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="sr-only">{label}: </span>
          <span className="truncate">
            <UntrustedText text={span.name} />
          </span>
        </span>
      }
      storageKey="trace-inspector"
      onClose={onClose}
      covered={useCovered()}
      actions={
        <>
          {href !== undefined && <CopyLinkButton label="Copy the link to this step" href={href} />}
          <CopyButton label="Copy span as JSON" text={() => JSON.stringify(exportedSpan(span, trace.store.entries), null, 2)} />
        </>
      }
    >
      {/* The folding and modes of one span must not carry over to the next. */}
      <div key={span.id} className="flex flex-col gap-5 px-6 py-4 max-sm:px-4">
        <Summary span={span} now={now} />
        <Failure {...props} />
        <Details {...props} />
      </div>
    </Inspector>
  );
}

function Summary({ span, now }: Pick<DetailsProps, 'span' | 'now'>) {
  const { label, icon: Icon, tone } = STATES[span.state];
  const tokens = span.inputTokens + span.outputTokens;
  const cost = span.unpriced > 0 ? 'Price unknown' : formatCost(span.costUsd);
  const spent =
    tokens === 0 || span.kind === 'model'
      ? []
      : [
          { term: 'Tokens', detail: formatNumber(tokens) },
          { term: 'Cost', detail: cost },
        ];
  return (
    <DescriptionList
      look="tiles"
      items={[
        {
          term: 'State',
          detail: (
            <Badge tone={tone} icon={<Icon aria-hidden />}>
              {label}
            </Badge>
          ),
        },
        { term: 'Began', detail: <Time at={span.start} sentence /> },
        { term: span.end === undefined ? 'So far' : 'Took', detail: formatDuration(Math.max(0, (span.end ?? now) - span.start)) },
        ...spent,
      ]}
    />
  );
}

function Failure({ span, trace }: DetailsProps) {
  const entry = span.entries.map((place) => trace.store.entries[place]).findLast((each) => each?.error_code !== undefined);
  if (!entry || (span.errorCode === undefined && span.state === 'ok')) return null;
  const retry = entry.retryable === undefined ? undefined : entry.retryable ? 'A retry may succeed' : 'A retry does not help';
  return (
    <section aria-label="Error" className="flex gap-2.5 rounded-md border border-danger/40 bg-danger-soft p-3">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere] text-text">
          <UntrustedText text={entry.message ?? 'Failed.'} />
        </p>
        <p className="mt-1 flex flex-wrap gap-x-3 text-sm text-text">
          <code className="font-mono">{entry.error_code}</code>
          {entry.error_reason !== undefined && <code className="font-mono">{entry.error_reason}</code>}
          {retry !== undefined && <span>{retry}</span>}
        </p>
      </div>
    </section>
  );
}

/** A span as JSON for other people: its identity and its entries. Pure. */
function exportedSpan(span: Span, entries: readonly TraceEntry[]): Readonly<Record<string, unknown>> {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id: span.id,
    kind: span.kind,
    name: span.name,
    state: span.state,
    agent: span.agent,
    branch: span.branch,
    attempt: span.attempt,
    start: time(span.start),
    end: time(span.end),
    tries: span.tries,
    input_tokens: span.inputTokens,
    output_tokens: span.outputTokens,
    cost_usd: span.unpriced > 0 ? null : span.costUsd,
    entries: span.entries.map((place) => entries[place]),
  };
}
