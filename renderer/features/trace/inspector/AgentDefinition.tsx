// Input of the model besides the messages: the composition of its context, the prompt and the tools that the run froze, and their changes.
import type { AgentDefinition as Definition, ToolDefinition } from '@svc/shared/api/runs';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { Suspense, useMemo, useState, type ReactNode } from 'react';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { cn } from '../../../ui/cn.ts';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { JsonTree } from '../../../ui/text/JsonTree.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { ContextBar } from './ContextBar.tsx';
import { callBefore, contextParts, offeredTools, toolChanges } from './context-parts.ts';
import type { ConversationMessage } from '../model/conversation.ts';
import type { Span } from '../model/spans.ts';
import type { RunTrace } from '../model/use-run-trace.ts';
import { ValueView } from '../parts/ValueView.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';

const InputDiff = lazyPart(async () => (await import('./InputDiff.tsx')).InputDiff);

export interface AgentDefinitionProps {
  readonly span: Span;
  readonly trace: RunTrace;
  readonly agent: string;
  readonly messages: readonly ConversationMessage[];
  readonly inputTokens: number | undefined;
}

export function AgentDefinition({ span, trace, agent, messages, inputTokens }: AgentDefinitionProps) {
  const { entries } = trace.store;
  const ref = { ...trace.run, uid: trace.uid, agent, attempt: span.attempt };
  const { data, error, refetch } = useQuery(api.runs.agentDefinition.queryOptions(ref, { staleTime: Infinity }));
  const offered = useMemo(() => data && offeredTools(data, entries, span), [data, entries, span]);
  const parts = useMemo(() => data && offered && contextParts(data.prompt, offered, messages), [data, offered, messages]);
  if (error)
    return <ErrorCard title="The prompt and tools of the agent could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data || !offered || !parts) return <Skeleton className="w-1/2" />;
  const before = callBefore(span);
  return (
    <>
      <ContextBar parts={parts} inputTokens={inputTokens} cut={messages.some(({ truncated }) => truncated)} />
      <PromptAndTools definition={data} offered={offered}>
        {(open) =>
          before ? (
            <SinceCallBefore before={offeredTools(data, entries, before)} now={offered} />
          ) : (
            <SinceAttemptBefore {...{ trace, span, data, open }} />
          )
        }
      </PromptAndTools>
    </>
  );
}

interface PromptAndToolsProps {
  readonly definition: Definition;
  readonly offered: readonly ToolDefinition[];
  /** Renders the changes: in short, and in full while open. */
  readonly children: (open: boolean) => ReactNode;
}

function PromptAndTools({ definition, offered, children }: PromptAndToolsProps) {
  const [open, setOpen] = useState(false);
  return (
    <section aria-label="Prompt and tools" className="min-w-0 rounded-md border border-border">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full items-center gap-2 px-3 text-left text-sm font-medium hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cn('size-3.5 transition-transform', open && 'rotate-90')} />
        Prompt and tools of {definition.agent}, as this run has them
      </button>
      <div className="border-t border-border px-3 py-2 text-sm text-muted">{children(open)}</div>
      {open && (
        <div className="flex flex-col gap-3 border-t border-border p-3">
          <ValueView title="System prompt" value={definition.prompt} />
          <div className="flex flex-col gap-1.5">
            <h3 className="text-sm font-medium text-muted">Tools it was offered ({offered.length})</h3>
            {offered.map((tool) => (
              <ToolSchema key={tool.name} tool={tool} />
            ))}
          </div>
        </div>
      )}
    </section>
  );
}

/** Within an attempt the prompt stays; tools may be withdrawn. */
function SinceCallBefore({ before, now }: { readonly before: readonly ToolDefinition[]; readonly now: readonly ToolDefinition[] }) {
  const { added, removed } = toolChanges(before, now);
  if (added.length + removed.length === 0) return <p>The same prompt and tools as at the call before.</p>;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <span>Since the call before the prompt is the same;</span>
      <Names tone="danger" word="no longer offered:" names={removed} />
      <Names tone="ok" word="offered again:" names={added} />
    </div>
  );
}

interface AttemptProps {
  readonly trace: RunTrace;
  readonly span: Span;
  readonly data: Definition;
  /** Whether the changes of the prompt are shown in full. */
  readonly open: boolean;
}

/** Each attempt reads the current definitions. */
function SinceAttemptBefore({ trace, span, data, open }: AttemptProps) {
  const ref = { ...trace.run, uid: trace.uid, agent: data.agent, attempt: Math.max(1, span.attempt - 1) };
  const {
    data: before,
    error,
    isPending,
    refetch,
  } = useQuery(api.runs.agentDefinition.queryOptions(ref, { enabled: span.attempt > 1, staleTime: Infinity }));
  if (span.attempt === 1) return <p>Frozen when the run began; the first call of this turn.</p>;
  if (isPending) return <Skeleton className="w-1/2" />;
  if (!before && problemOf(error).code !== 'not_found')
    return <ErrorCard title="What the attempt before had could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!before) return <p>The attempt before did not have this agent.</p>;
  const { added, removed, changed } = toolChanges(before.tools, data.tools);
  const samePrompt = before.prompt === data.prompt;
  if (samePrompt && added.length + removed.length + changed.length === 0) return <p>The same prompt and tools as in the attempt before.</p>;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1.5">
        <span>Changed since the attempt before:</span>
        {!samePrompt && <Badge tone="warn">prompt</Badge>}
        <Names tone="danger" word="without" names={removed} />
        <Names tone="ok" word="new" names={added} />
        <Names tone="warn" word="described otherwise" names={changed} />
      </div>
      {!samePrompt && open && (
        <Suspense fallback={<Skeleton className="w-1/2" />}>
          <InputDiff title="System prompt" before={before.prompt} after={data.prompt} />
        </Suspense>
      )}
    </div>
  );
}

interface NamesProps {
  readonly tone: 'ok' | 'warn' | 'danger';
  readonly word: string;
  readonly names: readonly string[];
}

function Names({ tone, word, names }: NamesProps) {
  if (names.length === 0) return null;
  return (
    <>
      <span>{word}</span>
      {names.map((name) => (
        <Badge key={name} tone={tone}>
          <UntrustedText text={name} />
        </Badge>
      ))}
    </>
  );
}

function ToolSchema({ tool }: { readonly tool: ToolDefinition }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-1.5 font-mono text-sm hover:underline"
      >
        <ChevronRight aria-hidden className={cn('size-3.5 transition-transform', open && 'rotate-90')} />
        <UntrustedText text={tool.name} />
      </button>
      {open && tool.description !== undefined && (
        <p className="pl-5 text-sm text-pretty text-muted">
          <UntrustedText block text={tool.description} />
        </p>
      )}
      {open && tool.input_schema === undefined && <p className="pl-5 text-sm text-muted">The model received no schema for its input.</p>}
      {open && tool.input_schema !== undefined && (
        <JsonTree label={`Input schema of ${tool.name}`} value={tool.input_schema} className="mt-1 max-h-64" />
      )}
    </div>
  );
}
