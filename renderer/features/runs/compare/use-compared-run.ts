// Data of one of the two compared runs.
import { useQuery } from '@tanstack/react-query';
import type { RunMetrics } from '@svc/shared/api/runs';
import type { MessageEntry } from '@svc/shared/kinds/task/records';
import { parseRef } from '@svc/shared/resource';
import { api } from '../../../live/api.ts';
import { useRunTrace, type RunTrace } from '../../trace/model/use-run-trace.ts';
import type { Run } from '../model/run.ts';
import { useJournalRefresh, useMetrics, useRun, type RunRead } from '../model/use-run.ts';

/** Beyond this many messages the comparison stops. */
const MESSAGES_MAX = 500;

export interface ComparedRun extends Omit<RunRead, 'run'> {
  readonly run: Run;
  readonly metrics: RunMetrics | undefined;
  readonly messages: readonly MessageEntry[];
  readonly messagesCut: boolean;
  readonly trace: RunTrace;
}

const NO_MESSAGES: readonly MessageEntry[] = [];

/** Parses `namespace/name` of an address; undefined when it is empty. */
export function readKey(key: string, namespace: string): { readonly namespace: string; readonly name: string } | undefined {
  const ref = parseRef(key, namespace);
  return ref.name === '' || ref.namespace === '' ? undefined : ref;
}

/** For a run that is known to exist. */
export function useComparedRun(read: RunRead & { readonly run: Run }): ComparedRun {
  const { run } = read;
  const { namespace, name } = run.metadata;
  useJournalRefresh(run);
  const { data: metrics } = useMetrics(run);
  const { data: page } = useQuery(api.runs.messages.queryOptions({ namespace, name, limit: MESSAGES_MAX }));
  const trace = useRunTrace({ namespace, name });
  return { ...read, metrics, messages: page?.messages ?? NO_MESSAGES, messagesCut: page?.continue !== undefined, trace };
}

/** Reads the run of an address; `undefined` reads nothing. */
export function useRunOfKey(ref: { readonly namespace: string; readonly name: string } | undefined): RunRead {
  return useRun(ref ?? { namespace: 'default', name: 'none' }, ref !== undefined);
}
