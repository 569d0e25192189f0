// Starts a Session and opens its page with the composer focused.
import { useCallback } from 'react';
import { useScope } from '../../../navigation/scope.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { toastError } from '../../../ui/overlay/toast.ts';
import { composeAddress, startSession, type SystemRef } from './start-session.ts';

/** Never rejects: a refusal is shown. */
export function useStartSession(): (system: SystemRef, name?: string) => Promise<void> {
  const { scope } = useScope();
  const { go } = useNavigation();
  return useCallback(
    async (system, name) => {
      try {
        go(composeAddress(await startSession(system, name), scope));
      } catch (error) {
        toastError(`A Session with ${system.name} could not be started`, error);
      }
    },
    [go, scope],
  );
}
