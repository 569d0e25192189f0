// Cases of a system: named inputs to run it with again. Each is a Task template with a label, which everybody of the namespace sees.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, client } from '../../../live/api.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { CASE_LABEL } from '../../runs/model/case-label.ts';
import { caseOf, pastInputs, type InputRow, type PastInput } from './run-input.ts';

export interface Cases {
  readonly list: readonly PastInput[];
  /** Resolves with whether it was saved. */
  readonly save: (name: string, rows: readonly InputRow[]) => Promise<boolean>;
  readonly cannotSave: string | undefined;
  readonly loading: boolean;
}

const CASES_MAX = 100;

/** `system` is empty while it has no name. */
export function useCases(namespace: string, system: string): Cases {
  const { reason } = useCanWrite();
  const wanted = {
    kind: 'Task',
    namespace,
    labelSelector: `${CASE_LABEL}=true`,
    fieldSelector: `spec.system=${system}`,
    order: 'name',
    limit: CASES_MAX,
  } as const;
  const { data, isLoading: loading } = useQuery({ ...api.resources.list.queryOptions(wanted), enabled: system !== '' });
  const list = useMemo(() => pastInputs(data?.items ?? [], CASES_MAX).sort((a, b) => a.task.localeCompare(b.task)), [data]);
  const save = async (name: string, rows: readonly InputRow[]) => {
    try {
      await client.resources.write.mutate({ kind: 'Task', namespace, mode: 'create', body: caseOf({ name, namespace, system, rows }) });
      toastDone(`Case ${name} saved`);
      return true;
    } catch (error) {
      toastError(`The case ${name} was not saved`, error);
      return false;
    }
  };
  return { list, loading, save, cannotSave: reason ?? (system === '' ? 'Name the system first' : undefined) };
}
