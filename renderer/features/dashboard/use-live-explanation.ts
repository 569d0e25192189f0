// The reasons for a run's state, kept current: they follow from its journal, its object and, while it waits, from the fleet.
import type { WatchItem } from '@svc/shared/api/watch';
import { phaseOf, type Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { kindNamed } from '../../kinds/kind-table.ts';
import { api, client } from '../../live/api.ts';
import { useAfterChanges } from '../../live/use-after-changes.ts';

/** Workers report every few seconds each: their effect on a wait is requested this often at most. */
const FLEET_MS = 5_000;

export function useLiveExplanation(run: Resource) {
  const { namespace, name, resourceVersion } = run.metadata;
  const query = useQuery(api.runs.explain.queryOptions({ namespace, name }));
  const { refetch } = query;
  const version = useRef(resourceVersion);
  useEffect(() => {
    if (version.current !== resourceVersion) void refetch();
    version.current = resourceVersion;
  }, [resourceVersion, refetch]);
  const running = phaseOf(run) === 'Running';
  useEffect(() => {
    if (!running) return undefined;
    const growth = client.runs.growth.subscribe({ namespace, name }, { onData: () => void refetch() });
    return () => growth.unsubscribe();
  }, [running, namespace, name, refetch]);
  const ofWorkers = useCallback(({ kind }: WatchItem) => !running && kindNamed(kind)?.heartbeats === true, [running]);
  useAfterChanges(ofWorkers, refetch, FLEET_MS);
  return query;
}
