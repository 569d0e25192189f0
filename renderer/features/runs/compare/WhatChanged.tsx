// Differences of the definitions of two runs: prompts, models, tools, access, settings, graph, rules that decided.
import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo } from 'react';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { Run } from '../model/run.ts';
import { ComparedText } from './ComparedText.tsx';
import { definitionChanges, isComparable, policyChanges, type DefinitionChange } from './definition-changes.ts';
import type { ComparedRun } from './use-compared-run.ts';

const JsonDiff = lazyPart(async () => (await import('../../../editor/JsonDiff.tsx')).JsonDiff);

export interface WhatChangedProps {
  readonly left: ComparedRun;
  readonly right: ComparedRun;
}

function useDefinitions({ metadata: { namespace, name, uid } }: Run) {
  return useQuery(api.runs.definitions.queryOptions({ namespace, name, uid }, { retry: false }));
}

export function WhatChanged({ left, right }: WhatChangedProps) {
  const [a, b] = [useDefinitions(left.run), useDefinitions(right.run)];
  const changes = useMemo(() => (a.data && b.data ? definitionChanges(a.data, b.data) : undefined), [a.data, b.data]);
  const rules = usePolicyChanges(left, right);
  const failed = [a, b].find(({ data, error }) => data === undefined && error !== null);
  return (
    <Card title="What changed" description="Definitions that each run froze when it began." flush>
      {failed && <Unread error={failed.error} onRetry={() => void Promise.all([a.refetch(), b.refetch()])} />}
      {!failed && changes === undefined && <Skeleton className="m-4 h-16" />}
      {changes !== undefined && <Changes changes={[...changes, ...rules]} />}
    </Card>
  );
}

function usePolicyChanges({ trace: a }: ComparedRun, { trace: b }: ComparedRun): readonly DefinitionChange[] {
  return useMemo(
    () => (a.version >= 0 && b.version >= 0 ? policyChanges(a.store.entries, b.store.entries).filter(isComparable) : []),
    [a.store, a.version, b.store, b.version],
  );
}

function Unread({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { code, message } = problemOf(error);
  if (code === 'not_found') return <p className="px-4 py-3 text-muted">{message}.</p>;
  return <ErrorCard className="m-4" title="The definitions of the runs could not be loaded" error={error} onRetry={onRetry} />;
}

function Changes({ changes }: { readonly changes: readonly DefinitionChange[] }) {
  if (changes.length === 0)
    return <p className="px-4 py-3 text-muted">Nothing: both runs used the same prompts, models, tools, settings and graph.</p>;
  return (
    <ul aria-label="Changed definitions">
      {changes.map((change) => (
        <li key={change.title} className="border-b border-border/60 px-4 py-3 last:border-0">
          <h3 className="mb-1.5 flex items-center gap-2 font-medium">
            {change.title}
            {change.before === undefined && <Badge tone="warn">only right</Badge>}
            {change.after === undefined && <Badge tone="warn">only left</Badge>}
          </h3>
          <Difference change={change} />
        </li>
      ))}
    </ul>
  );
}

function Difference({ change: { title, before, after } }: { readonly change: DefinitionChange }) {
  const [left, right] = [before ?? '', after ?? ''];
  if (typeof left === 'string' && typeof right === 'string') return <ComparedText label={title} left={left} right={right} />;
  return (
    <Suspense fallback={<Skeleton className="h-10" />}>
      <JsonDiff label={title} before={before ?? null} after={after ?? null} />
    </Suspense>
  );
}
