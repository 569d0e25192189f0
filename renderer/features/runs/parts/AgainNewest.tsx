// Repeats the newest run of a system or an agent with the current definitions, and opens the comparison of both.
import { useQuery } from '@tanstack/react-query';
import { GitCompareArrows } from 'lucide-react';
import { client } from '../../../live/api.ts';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { useRunAgain } from '../actions/use-retry.ts';
import { newestRunOf } from '../model/newest-run.ts';
import type { Run } from '../model/run.ts';

export interface AgainNewestProps {
  readonly of: ObjectRef;
  /** Newest first. */
  readonly runs: readonly Run[];
}

/** Nothing is shown while no such run has ended. */
export function AgainNewest({ of, runs }: AgainNewestProps) {
  const uids = runs.map(({ metadata: { uid }, status: { phase } }) => `${uid} ${phase ?? ''}`);
  const { data: run } = useQuery({
    queryKey: ['newest-run', of, uids],
    queryFn: async () =>
      (await newestRunOf(of, runs, ({ metadata: { namespace, name } }) => client.runs.metrics.query({ namespace, name }))) ?? null,
    placeholderData: (before) => before,
    retry: false,
  });
  return run ? <Again of={of} run={run} /> : null;
}

function Again({ of, run }: { readonly of: ObjectRef; readonly run: Run }) {
  const { scope } = useScope();
  const { reason } = useCanWrite();
  const again = useRunAgain(run, scope);
  const label = 'Run again and compare';
  useShortcut({ id: 'use.again', label: `${label}: ${run.metadata.name}`, when: reason === undefined, run: again });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-6 pb-3 max-sm:px-4">
      <Button icon={<GitCompareArrows />} disabledReason={reason} onClick={again}>
        {label}
      </Button>
      <p className="min-w-0 text-sm text-muted">
        Repeats <span className="font-mono">{run.metadata.name}</span>, the newest ended run of {of.name}, with its input and the current
        definitions.
      </p>
    </div>
  );
}
