// Runs an ended task again, as a new one with the current definitions.
import type { RetryTarget } from '@svc/shared/kinds/task/retry-target';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { client } from '../../../live/api.ts';
import { isUnanswered } from '../../../live/problem.ts';
import { RequestKeys } from '../../../live/request-keys.ts';
import { toastError } from '../../../ui/overlay/toast.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { compareAddress } from '../../../navigation/addresses.ts';
import { asRun, TASK, type Run } from '../model/run.ts';

interface RetryRequest {
  readonly run: Run;
  /** Replaces its own input. */
  readonly input?: Readonly<Record<string, string>> | undefined;
  /** Absent: as the run was started itself. */
  readonly target?: RetryTarget | undefined;
}

export type Retry = UseMutationResult<Run, unknown, RetryRequest>;

const keys = new RequestKeys();

/** Starts the run again. Safe to repeat when no answer came. */
export async function retryRun(
  { metadata: { namespace, name, uid } }: Run,
  { input, target }: Omit<RetryRequest, 'run'> = {},
): Promise<Run> {
  const what = JSON.stringify([uid, input, target?.namespace, target?.generation]);
  const options = {
    ...(input && { input: { ...input } }),
    ...(target && { toNamespace: target.namespace, systemGeneration: target.generation }),
  };
  return asRun(await keys.send(what, (key) => client.runs.retry.mutate({ namespace, name, uid, key, ...options })));
}

export function useRetry(onMade: (made: Run) => void): Retry {
  return useMutation<Run, unknown, RetryRequest>({
    mutationFn: ({ run, ...changes }) => retryRun(run, changes),
    onSuccess: onMade,
    onError: (error, { run: { metadata } }) =>
      toastError(
        isUnanswered(error)
          ? `No answer to the retry of ${metadata.name}. Retry is safe: it starts one run`
          : `${metadata.name} could not be retried`,
        error,
      ),
  });
}

/** Runs it again with its own input, and opens the comparison of both. */
export function useRunAgain(run: Run, scope: string): () => void {
  const navigation = useNavigation();
  const { mutate } = useRetry((made) =>
    navigation.go(compareAddress(scope, { kind: TASK, ...run.metadata }, { kind: TASK, ...made.metadata })),
  );
  return () => mutate({ run });
}
