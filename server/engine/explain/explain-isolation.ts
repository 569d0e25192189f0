// Tools of a run that cannot be isolated where it runs, or where it might continue. Pure over the snapshot and the Worker objects.
import { statusOf } from '@svc/shared/kinds/read';
import { isolationOf } from '@svc/shared/kinds/tool/isolation-default';
import type { StoredObject } from '../../store/store.ts';
import type { RunState } from '../core/state.ts';
import type { Reason } from './reason.ts';

interface Missing {
  readonly worker: StoredObject;
  readonly message: string;
}

/** One reason for each tool whose isolation_mode none of `workers` has; none while that is not known. */
export function isolationReasons({ attempt }: RunState, workers: readonly StoredObject[]): Reason[] {
  if (!attempt || workers.length === 0) return [];
  return Object.values(attempt.snapshot.tools).flatMap((tool) => {
    const mode = isolationOf(tool.spec);
    const missing = workers.flatMap((worker) => missingOf(worker, mode));
    const [first] = missing;
    if (!first || missing.length < workers.length) return [];
    const who = workers.length === 1 ? `worker ${first.worker.name}` : `none of ${workers.length} workers`;
    const can = workers.length === 1 ? 'cannot run' : 'can run';
    const message = `${who} ${can} Tool ${tool.namespace}/${tool.name}, which is ${mode}: ${first.message}`;
    return [{ code: 'isolation_unavailable', message, object: { kind: 'Tool', namespace: tool.namespace, name: tool.name } }];
  });
}

function missingOf(worker: StoredObject, mode: string): Missing[] {
  const backend = statusOf('Worker', worker).isolation?.find(({ modes = [] }) => modes.includes(mode));
  return backend?.available === false ? [{ worker, message: backend.message ?? 'its engine does not answer' }] : [];
}
