// A model call: its input, its answer, the stop reason and the cost.
import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { useMemo } from 'react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { cn } from '../../../ui/cn.ts';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { formatCost, formatDuration, formatNumber } from '../../../ui/status/format.ts';
import { AgentDefinition } from './AgentDefinition.tsx';
import { conversationOf, type ConversationMessage } from '../model/conversation.ts';
import { LiveAnswer } from '../parts/LiveAnswer.tsx';
import type { DetailsProps } from './SpanInspector.tsx';
import { ValueView } from '../parts/ValueView.tsx';

const ROLE_LOOK = {
  user: { label: 'User', tone: 'accent', edge: 'border-l-accent' },
  assistant: { label: 'Model', tone: 'info', edge: 'border-l-info' },
  tool: { label: 'Tool', tone: 'ok', edge: 'border-l-ok' },
} as const;

export function ModelDetails({ span, trace }: DetailsProps) {
  const { entries } = trace.store;
  const messages = useMemo(() => conversationOf(entries, span), [entries, span]);
  const answer = span.entries.map((place) => entries[place]).find((entry) => entry?.type === 'model_output');
  const firstNew = messages.findIndex(({ isNew }) => isNew);
  return (
    <>
      {span.tries > 1 && <SentAgain span={span} />}
      {answer && <Spent answer={answer} />}
      {!answer && span.end === undefined && !trace.imported && <LiveAnswer run={trace.run} span={span} />}
      {span.agent !== undefined && !trace.imported && (
        <AgentDefinition span={span} trace={trace} agent={span.agent} messages={messages} inputTokens={answer?.input_tokens} />
      )}
      <section aria-label="Messages" className="flex min-w-0 flex-col gap-3">
        <h3 className="text-sm font-medium text-muted">Model input</h3>
        {messages.map((message, index) => (
          <div key={message.place} className="flex min-w-0 flex-col gap-3">
            {index === firstNew && index > 0 && <Divider />}
            <Message message={message} />
          </div>
        ))}
        {messages.length === 0 && <p className="text-sm text-muted">The trace has no messages for this call.</p>}
      </section>
      {answer && (
        <section aria-label="Answer" className="flex min-w-0 flex-col gap-3">
          <h3 className="text-sm font-medium text-muted">Its answer</h3>
          <Message
            message={{
              role: 'assistant',
              from: answer.model ?? answer.agent ?? 'model',
              content: answer.output,
              truncated: answer.truncated === true,
              toolRequests: answer.asked_tools ?? [],
              isNew: true,
              place: -1,
            }}
          />
        </section>
      )}
    </>
  );
}

function Divider() {
  return (
    <p className="flex items-center gap-2 text-xs text-muted before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
      New since the previous call
    </p>
  );
}

function Message({ message }: { readonly message: ConversationMessage }) {
  const { label, tone, edge } = ROLE_LOOK[message.role];
  const empty = message.content === undefined || message.content === '';
  return (
    <article className={cn('min-w-0 border-l-2 pl-3', edge)}>
      <div className="mb-1 flex flex-wrap items-center gap-1.5">
        <Badge tone={tone}>{label}</Badge>
        {message.toolRequests.map((tool, index) => (
          <Badge key={index}>asks for {tool}</Badge>
        ))}
      </div>
      {!(empty && message.toolRequests.length > 0) && (
        <ValueView title={message.from} value={message.content ?? ''} truncated={message.truncated} />
      )}
    </article>
  );
}

function SentAgain({ span: { ticks, start, end } }: Pick<DetailsProps, 'span'>) {
  const last = ticks.at(-1);
  if (last === undefined || end === undefined) return null;
  return (
    <p className="text-sm text-muted">
      Sent again {formatDuration(last - start)} after it was first recorded, since the worker that had it was lost or stopped; this sending
      took {formatDuration(end - last)}.
    </p>
  );
}

function Spent({ answer }: { readonly answer: TraceEntry }) {
  const { input_tokens: input = 0, output_tokens: output = 0, cached_input_tokens: cached, cost_usd: cost } = answer;
  const source = answer.token_usage_source === 'estimated' ? 'Estimated by the server' : 'Counted by the provider';
  return (
    <DescriptionList
      look="tiles"
      items={[
        { term: 'Model', detail: <span className="font-mono text-sm">{answer.model ?? '–'}</span> },
        { term: 'Finish reason', detail: answer.finish_reason ?? '–' },
        { term: 'Tokens in', detail: formatNumber(input) },
        { term: 'of these cached', detail: cached === undefined ? 'Not reported' : formatNumber(cached) },
        { term: 'Tokens out', detail: formatNumber(output) },
        { term: 'Token counts', detail: source },
        { term: 'Cost', detail: cost === undefined ? 'Price unknown' : formatCost(cost) },
      ]}
    />
  );
}
