// The reasons for a run's state, kept current: they follow from its journal, its object and, while it waits, from the fleet.
import { phaseOf, type Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { kindNamed } from '../../kinds/kind-table.ts';
import type { ChangeListener } from '../../live/live-data.ts';
import { api, client } from '../../live/api.ts';
import { useChanges } from '../../live/use-live.ts';
import { Trailing } from './trailing.ts';

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
  const fleet = useRef<Trailing>(undefined);
  useEffect(() => {
    const trailing = new Trailing(() => void refetch(), FLEET_MS);
    fleet.current = trailing;
    return () => trailing.stop();
  }, [refetch]);
  const onChanges = useCallback<ChangeListener>(
    (items) => {
      if (!running && items.some(({ kind }) => kindNamed(kind)?.heartbeats)) fleet.current?.call();
    },
    [running],
  );
  useChanges(onChanges);
  return query;
}
