// Retries of a run, in its own namespace and in others.
import { useQuery } from '@tanstack/react-query';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { asRun, retryOf, runKey, TASK, type Run } from '../model/run.ts';

const SEARCH_MAX = 50;
const TEXT_MAX_CHARS = 300;
/** Codes of objects that are gone, or that the person may not read. */
const UNSEEN: readonly string[] = ['not_found', 'forbidden'];

type Hit = Awaited<ReturnType<typeof client.resources.search.query>>[number];

/** Names alone tell the retries of a run in its own namespace; elsewhere the same name may belong to a retry of another run. */
async function isRetryOf(key: string, { namespace, name }: Hit, signal: AbortSignal): Promise<boolean> {
  try {
    const of = retryOf(asRun(await client.resources.get.query({ kind: TASK, namespace, name, brief: true }, { signal })));
    return of === key || of?.startsWith(`${key}-retry-`) === true;
  } catch (error) {
    if (UNSEEN.includes(problemOf(error).code)) return false;
    throw error;
  }
}

export function useRetries(run: Run) {
  const { namespace, name } = run.metadata;
  const key = runKey(run);
  return useQuery({
    queryKey: ['retries', key],
    refetchOnMount: 'always',
    queryFn: async ({ signal }) => {
      const prefix = `${name}-retry-`;
      const query = { text: `Task:${prefix}`.slice(0, TEXT_MAX_CHARS), limit: SEARCH_MAX };
      const found = await Promise.all([{ ...query, namespace }, query].map((each) => client.resources.search.query(each, { signal })));
      const [own = [], anywhere = []] = found.map((hits) => hits.filter((hit) => hit.name.startsWith(prefix)));
      const others = anywhere.filter((hit) => hit.namespace !== namespace);
      const matches = await Promise.all(others.map((hit) => isRetryOf(key, hit, signal)));
      return [...own, ...others.filter((_, index) => matches[index])];
    },
  });
}
