// The live stream as hooks: the shell starts it; screens that show more than lists and objects subscribe.
import { namespaceProblem } from '@svc/shared/resource';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, createElement, useContext, useEffect, useState, type ReactNode } from 'react';
import { startLive, type ChangeListener, type LiveSession } from './live-data.ts';
import { takePosition } from './start-position.ts';

const Session = createContext<LiveSession | undefined>(undefined);

/** Follows one namespace, or all of them, for as long as it is mounted. An invalid namespace name follows all of them too: its page shows an error. */
export function LiveProvider({ namespace, children }: { readonly namespace: string | undefined; readonly children: ReactNode }) {
  const queryClient = useQueryClient();
  const [session, setSession] = useState<LiveSession>();
  useEffect(() => {
    const possible = namespace !== undefined && namespaceProblem(namespace) === undefined;
    const started = startLive(queryClient, { namespace: possible ? namespace : undefined, position: takePosition() });
    setSession(started);
    return () => started.stop();
  }, [queryClient, namespace]);
  return createElement(Session.Provider, { value: session }, children);
}

/** Calls `listener` with every batch of changes, after lists and objects were updated. Give it a stable function. */
export function useChanges(listener: ChangeListener): void {
  const session = useContext(Session);
  useEffect(() => session?.onChanges(listener), [session, listener]);
}
