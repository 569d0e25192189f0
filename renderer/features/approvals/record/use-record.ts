// One decision record with its neighbours, and the result of verifying them in this browser.
import type { SignedDecision } from '@svc/shared/decision-record';
import { useQuery, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { api, client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import type { Approval } from '../model/approval.ts';
import { canHash, decisionCrypto, importKey, type RecordKey } from './record-crypto.ts';
import { verifyRecord, type Verification } from './verify-record.ts';

/** `unchecked`: this page has no cryptography (plain HTTP from another host). */
export type RecordCheck =
  | Verification
  | { readonly state: 'unchecked'; readonly faults: readonly string[]; readonly keyId: string; readonly chainedTo: readonly number[] };

export interface FoundRecord {
  readonly record: SignedDecision;
  readonly check: RecordCheck;
}

/** The log has no gaps: a missing record was removed. */
export type CheckedRecord = FoundRecord | { readonly record: undefined; readonly check: { readonly state: 'missing' } };

const KEY = ['approvals', 'decision-key'] as const;

function readKey(queryClient: QueryClient): Promise<RecordKey> {
  return queryClient.fetchQuery({
    queryKey: KEY,
    queryFn: async () => {
      const published = await client.decisions.key.query();
      return { keyId: published.key_id, key: await importKey(published) };
    },
    staleTime: Infinity,
  });
}

/** A record never changes; only a missing one may appear. */
function readRecord(queryClient: QueryClient, seq: number): Promise<SignedDecision | undefined> {
  return queryClient
    .fetchQuery({ ...api.decisions.get.queryOptions({ seq }), staleTime: Infinity, retry: false })
    .catch((error: unknown) => {
      if (problemOf(error).code === 'not_found') return undefined;
      throw error;
    });
}

/** The newest record has no successor yet, so it is listed rather than requested: a miss there is no error. */
async function readAfter(seq: number): Promise<SignedDecision | undefined> {
  const { items } = await client.decisions.list.query({ after: seq, limit: 1 });
  return items[0];
}

async function readChecked(queryClient: QueryClient, seq: number, approval: Approval | undefined): Promise<CheckedRecord> {
  const [record, before, after] = await Promise.all([
    readRecord(queryClient, seq),
    seq > 1 ? readRecord(queryClient, seq - 1) : undefined,
    readAfter(seq),
  ]);
  if (!record) return { record, check: { state: 'missing' } };
  if (!canHash()) return { record, check: { state: 'unchecked', faults: [], keyId: record.key_id, chainedTo: [] } };
  const key = await readKey(queryClient);
  const options = { crypto: decisionCrypto(key), signaturesChecked: key.key !== undefined, neighbours: { before, after }, approval };
  return { record, check: await verifyRecord(record, options) };
}

/** `undefined` seq: there is no record to check. */
export function useCheckedRecord(seq: number | undefined, approval?: Approval) {
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: ['approvals', 'record', seq, approval?.uid, approval?.resource.metadata.resourceVersion],
    queryFn: () => readChecked(queryClient, seq ?? 0, approval),
    enabled: seq !== undefined,
    staleTime: 60_000,
    retry: false,
  });
}
