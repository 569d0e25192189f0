// Names of the newest runs of a system that a trial can reuse.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../live/api.ts';
import type { Resource } from '@svc/shared/resource';
import { asRun, isTemplate, phaseOf, TASK } from '../../runs/model/run.ts';

const READ_MAX = 40;

/** Input of the list; `system` must not be empty. */
export function earlierRunsInput(namespace: string, system: string) {
  return { kind: TASK, namespace, fieldSelector: `spec.system=${system}`, order: '-createdAt', limit: READ_MAX } as const;
}

export interface EarlierRuns {
  /** Those that have begun, the newest first. */
  readonly names: readonly string[];
  /** The newest that succeeded, or else the newest; empty without any. */
  readonly best: string;
}

export function reusableRuns(tasks: readonly Resource[]): EarlierRuns {
  const begun = tasks.map(asRun).filter((run) => !isTemplate(run) && (run.status.attempts ?? 0) > 0);
  const best = begun.find((run) => phaseOf(run) === 'Succeeded') ?? begun[0];
  return { names: begun.map(({ metadata }) => metadata.name), best: best?.metadata.name ?? '' };
}

export function useEarlierRuns(namespace: string, system: string): EarlierRuns {
  const { data } = useQuery({ ...api.resources.list.queryOptions(earlierRunsInput(namespace, system)), enabled: system !== '' });
  return useMemo(() => reusableRuns(data?.items ?? []), [data]);
}
