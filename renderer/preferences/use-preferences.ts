// Settings as hooks: shown at once, stored by the server soon after, and equal in every tab.
import type { Json, JsonObject } from '@svc/shared/json';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { api, client, OUTLIVES_PAGE } from '../live/api.ts';
import { queryClient } from '../live/query-client.ts';
import { keep } from '../ui/browser-storage.ts';
import { toastError } from '../ui/overlay/toast.ts';
import { PreferenceWrites } from './preference-writes.ts';
import type { Preference } from './preferences.ts';

/** Key written when settings are saved: its only purpose is to notify other tabs. */
const NOTICE_KEY = 'svc.preferences.kept';
const queryKey = api.preferences.get.queryKey();

const readAgain = () => void queryClient.invalidateQueries({ queryKey });

/** Without storage the other tabs read the settings again when they are next shown. */
const notifyOtherTabs = () => keep(NOTICE_KEY, `${Date.now()} ${Math.random()}`);

const writes = new PreferenceWrites({
  get: (signal): Promise<JsonObject> => client.preferences.get.query(undefined, { signal }),
  set: (patch) => client.preferences.set.mutate(patch, { context: OUTLIVES_PAGE }),
  shown: () => queryClient.getQueryData<JsonObject>(queryKey),
  show: (whole) => queryClient.setQueryData<JsonObject>(queryKey, whole),
  onKept: notifyOtherTabs,
  onFailed: (error) => {
    toastError('Your settings could not be saved', error);
    readAgain();
  },
});

// A page being left meanwhile sends its settings.
window.addEventListener('pagehide', () => writes.flush());

const preferencesQuery = queryOptions({
  queryKey,
  queryFn: ({ signal }) => writes.read(signal),
  // Another tab may have changed the list, which is written as a whole.
  refetchOnWindowFocus: 'always',
});

/** `[value, set]` of one setting. Define the preference outside of the component. A value made of the one before is set by a function, which gets what is stored. */
export function usePreference<Value extends Json>(preference: Preference<Value>) {
  const { data } = useQuery(preferencesQuery);
  const stored = data?.[preference.key];
  const value = useMemo(() => preference.read(stored), [preference, stored]);
  const set = useCallback(
    (next: Value | ((before: Value) => Value)) => {
      if (typeof next === 'function') writes.change(preference.key, (before) => next(preference.read(before)));
      else writes.set(preference.key, next);
    },
    [preference],
  );
  return [value, set] as const;
}

/** Whether the server has returned the settings. */
export function usePreferencesLoaded(): boolean {
  return useQuery(preferencesQuery).data !== undefined;
}

/** Follows changes in other tabs of this browser. Mounted once, in the shell. */
export function usePreferencesOfOtherTabs(): void {
  useEffect(() => {
    const onStorage = ({ key }: StorageEvent) => {
      if (key === NOTICE_KEY) readAgain();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }, []);
}
