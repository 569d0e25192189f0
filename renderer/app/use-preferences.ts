// Settings as hooks: shown at once, kept by the server soon after.
import type { Json, JsonObject } from '@svc/shared/json';
import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { api, client } from '../live/api.ts';
import { toastError } from '../ui/toast.ts';
import { patchBetween, type Preference } from './preferences.ts';

export const preferencesQuery = queryOptions({
  queryKey: api.preferences.get.queryKey(),
  queryFn: ({ signal }): Promise<JsonObject> => client.preferences.get.query(undefined, { signal }),
});

/** Settings that change many times a second (widths) are sent once. */
const SEND_AFTER_MS = 400;
/** By key, the value that the server has as far as we know. */
const unsent = new Map<string, Json | undefined>();
let timer: ReturnType<typeof setTimeout> | undefined;

function send(queryClient: QueryClient): void {
  const now = queryClient.getQueryData<JsonObject>(preferencesQuery.queryKey) ?? {};
  const patch = Object.fromEntries([...unsent].map(([key, before]) => [key, patchBetween(before, now[key] ?? null)]));
  unsent.clear();
  timer = undefined;
  client.preferences.set.mutate(patch).catch((error: unknown) => {
    toastError('Your settings could not be kept', error);
    void queryClient.invalidateQueries({ queryKey: preferencesQuery.queryKey });
  });
}

function setPreference(queryClient: QueryClient, key: string, value: Json): void {
  const before = queryClient.getQueryData<JsonObject>(preferencesQuery.queryKey) ?? {};
  if (!unsent.has(key)) unsent.set(key, before[key]);
  queryClient.setQueryData<JsonObject>(preferencesQuery.queryKey, { ...before, [key]: value });
  timer ??= setTimeout(() => send(queryClient), SEND_AFTER_MS);
}

/** `[value, set]` of one setting. Define the preference outside of the component. */
export function usePreference<Value extends Json>(preference: Preference<Value>) {
  const queryClient = useQueryClient();
  const { data } = useQuery(preferencesQuery);
  const stored = data?.[preference.key];
  const value = useMemo(() => preference.read(stored), [preference, stored]);
  const set = useCallback((next: Value) => setPreference(queryClient, preference.key, next), [queryClient, preference]);
  return [value, set] as const;
}

/** Whether the server has said what is set. */
export function usePreferencesLoaded(): boolean {
  return useQuery(preferencesQuery).isSuccess;
}
