// Messages that the agents of a run handed over, branch by branch.
import { ArrowRight, ChevronRight } from 'lucide-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { MessagePage } from '@svc/shared/api/runs';
import type { MessageEntry } from '@svc/shared/kinds/task/records';
import { useMemo, useState } from 'react';
import { choiceParam, textParam, useFilterState, type SearchState } from '../../../navigation/search-state.ts';
import { api, client } from '../../../live/api.ts';
import { loadNext } from '../../../live/list-pages.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Chip } from '../../../ui/status/Chip.tsx';
import { cn } from '../../../ui/cn.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { FilterChips } from '../../../ui/table/FilterChips.tsx';
import { PhasePill } from '../../../ui/status/PhasePill.tsx';
import { phaseLook } from '../../../ui/status/phases.ts';
import { Select } from '../../../ui/input/Select.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { ContentView } from './ContentView.tsx';
import { threadsOf, type MessageThread } from './message-threads.ts';
import type { Run } from '../model/run.ts';
import { useMetrics } from '../model/use-run.ts';
import { beginningOf } from '../../../ui/text/whole-characters.ts';

const PHASES = ['', 'Queued', 'Running', 'RetryPending', 'Succeeded', 'DeadLetter', 'Skipped'] as const;
const PARAMS = { mphase: choiceParam(PHASES), from: textParam, to: textParam, mbranch: textParam };
type Filters = SearchState<typeof PARAMS>;

const PAGE = 200;

function useMessages(run: Run, { mphase, from, to, mbranch }: Filters) {
  const { namespace, name } = run.metadata;
  const given = { phase: mphase, from_agent: from, to_agent: to, branch_id: mbranch };
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const input = { namespace, name, limit: PAGE, ...filter };
  return useInfiniteQuery({
    queryKey: api.runs.messages.queryKey(input),
    queryFn: ({ pageParam, signal }): Promise<MessagePage> =>
      client.runs.messages.query({ ...input, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: MessagePage) => page.continue,
    placeholderData: keepPreviousData,
  });
}

export function MessagesTab({ run }: { readonly run: Run }) {
  const [filters, setFilters] = useFilterState(PARAMS);
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useMessages(run, filters);
  const messages = useMemo(() => data?.pages.flatMap((page) => page.messages) ?? [], [data]);
  const threads = useMemo(() => threadsOf(messages), [messages]);
  const filtered = [filters.mphase, filters.from, filters.to, filters.mbranch].some((each) => each !== '');
  const clear = () => setFilters({ mphase: '', from: '', to: '', mbranch: '' });
  if (data === undefined && error !== null)
    return <ErrorCard className="m-6" title="The messages could not be loaded" error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-3 p-6 max-sm:p-4">
      <MessageFilters run={run} filters={filters} onChange={setFilters} />
      {isPending && <Skeleton className="h-24" />}
      {!isPending && messages.length === 0 && (
        <EmptyState
          cause={filtered ? 'filtered' : 'none'}
          title={filtered ? 'No message fits these filters' : 'No messages yet'}
          action={filtered ? <Button onClick={clear}>Clear the filters</Button> : undefined}
        >
          {filtered ? undefined : 'The first messages go to the entry agents when the run begins.'}
        </EmptyState>
      )}
      {threads.map((thread) => (
        <Thread key={thread.branch} thread={thread} onBranch={(mbranch) => setFilters({ mbranch })} />
      ))}
      {hasNextPage && (
        <Button className="self-center" busy={isFetchingNextPage} onClick={() => void loadNext({ data, fetchNextPage })}>
          Load more messages
        </Button>
      )}
    </div>
  );
}

interface MessageFiltersProps {
  readonly run: Run;
  readonly filters: Filters;
  readonly onChange: (change: Partial<Filters>) => void;
}

function MessageFilters({ run, filters, onChange }: MessageFiltersProps) {
  const { data } = useMetrics(run);
  const totals: Readonly<Record<string, unknown>> = data?.totals ?? {};
  const agents = data?.per_agent.map(({ agent }) => agent) ?? [];
  const options = (any: string) => [{ value: '', label: any }, ...agents.map((value) => ({ value, label: value }))];
  const chips = PHASES.filter((phase) => phase !== '').map((phase) => {
    const count = totals[phase.toLowerCase()];
    return { id: phase, label: phaseLook(phase).label, count: typeof count === 'number' ? count : undefined };
  });
  return (
    <div role="group" aria-label="Filters of messages" className="flex flex-wrap items-center gap-2">
      <FilterChips
        label="States of messages"
        chips={chips.filter(({ id, count }) => count !== 0 || id === filters.mphase)}
        selected={new Set(filters.mphase === '' ? [] : [filters.mphase])}
        onToggle={(id) => onChange({ mphase: id === filters.mphase ? '' : (PHASES.find((phase) => phase === id) ?? '') })}
      />
      <Select
        aria-label="From agent"
        className="w-40"
        value={filters.from}
        options={options('From any agent')}
        onChange={(from) => onChange({ from })}
      />
      <Select
        aria-label="To agent"
        className="w-40"
        value={filters.to}
        options={options('To any agent')}
        onChange={(to) => onChange({ to })}
      />
      {filters.mbranch !== '' && (
        <Chip mono removeLabel="Remove the filter on the branch" onRemove={() => onChange({ mbranch: '' })}>
          {filters.mbranch}
        </Chip>
      )}
    </div>
  );
}

function Thread({ thread, onBranch }: { readonly thread: MessageThread; readonly onBranch: (branch: string) => void }) {
  return (
    <section aria-label={`Branch ${thread.branch}`} style={{ marginLeft: `${Math.min(thread.depth, 6) * 1.25}rem` }}>
      <h3 className="mb-1 flex items-center gap-2 text-sm text-muted">
        <button
          type="button"
          title="Show only this branch"
          onClick={() => onBranch(thread.branch)}
          className="rounded-xs font-mono hover:text-accent-text hover:underline"
        >
          {thread.branch}
        </button>
        <span>{thread.messages.length === 1 ? '1 message' : `${thread.messages.length} messages`}</span>
      </h3>
      <ul className="overflow-hidden rounded-lg border border-border bg-surface">
        {thread.messages.map((message) => (
          <Message key={message.message_id} message={message} />
        ))}
      </ul>
    </section>
  );
}

const EXCERPT_CHARS = 240;

function Message({ message }: { readonly message: MessageEntry }) {
  const [open, setOpen] = useState(false);
  const from = message.from_agent === undefined || message.from_agent === '' ? 'start' : message.from_agent;
  return (
    <li className="border-b border-border/60 [contain-intrinsic-size:auto_3rem] [content-visibility:auto] last:border-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-3 px-3 py-2 text-left -outline-offset-2 hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cn('size-4 shrink-0 text-faint transition-transform', open && 'rotate-90')} />
        <span className="flex w-56 shrink-0 items-center gap-1.5 font-medium max-md:w-auto">
          <span className={cn('truncate', from === 'start' && 'font-normal text-muted')}>{from}</span>
          <ArrowRight aria-label="to" className="size-3.5 shrink-0 text-faint" />
          <span className="truncate">{message.to_agent}</span>
        </span>
        <span className="min-w-0 flex-1 truncate text-muted max-md:hidden">
          <UntrustedText text={beginningOf(message.content, EXCERPT_CHARS).replaceAll('\n', ' ')} className="[overflow-wrap:normal]" />
        </span>
        {message.attempts > 1 && (
          <span className="shrink-0 text-sm text-warn tabular-nums">
            try {message.attempts} of {message.max_attempts}
          </span>
        )}
        <PhasePill phase={message.phase} look="quiet" className="w-28 shrink-0" />
        <span className="min-w-12 shrink-0 text-right text-sm text-muted">
          <Time at={message.timestamp} />
        </span>
      </button>
      {open && (
        <div className="flex flex-col gap-2 border-t border-border/60 px-4 py-3">
          {message.last_error !== undefined && (
            <p className="rounded-md bg-danger-soft px-3 py-2">
              <UntrustedText block text={message.last_error} />
            </p>
          )}
          <ContentView
            label={`Message from ${from} to ${message.to_agent}`}
            text={message.content}
            truncated={message.truncated}
            fileName={`${message.message_id}.txt`}
          />
        </div>
      )}
    </li>
  );
}
