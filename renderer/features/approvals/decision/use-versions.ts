// The reviews before this one, newest first: returned versions with their comments.
import { useQuery } from '@tanstack/react-query';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { parseRef } from '@svc/shared/resource';
import { readApproval, type TaskApproval } from '../model/approval.ts';

/** No review point has more cycles in practice; a manual chain may even be circular. */
const VERSIONS_MAX = 20;

export interface Versions {
  readonly versions: readonly TaskApproval[];
  /** A version was deleted: the chain ends there. */
  readonly broken: boolean;
}

async function readVersions(approval: TaskApproval): Promise<Versions> {
  const versions: TaskApproval[] = [];
  const seen = new Set([approval.uid]);
  let next = approval.supersedes;
  while (next !== undefined && versions.length < VERSIONS_MAX) {
    const before = await readVersion(parseRef(next, approval.namespace));
    if (!before || seen.has(before.uid)) return { versions, broken: !before };
    seen.add(before.uid);
    versions.push(before);
    next = before.supersedes;
  }
  return { versions, broken: false };
}

async function readVersion(place: { readonly namespace: string; readonly name: string }): Promise<TaskApproval | undefined> {
  try {
    const approval = readApproval(await client.resources.get.query({ kind: 'TaskApproval', ...place }));
    return approval.kind === 'TaskApproval' ? approval : undefined;
  } catch (error) {
    if (problemOf(error).code === 'not_found') return undefined;
    throw error;
  }
}

/** Versions are decided, so they no longer change. */
export function useVersions(approval: TaskApproval) {
  return useQuery({
    queryKey: ['approvals', 'versions', approval.uid],
    queryFn: () => readVersions(approval),
    enabled: approval.supersedes !== undefined,
    staleTime: Infinity,
  });
}
