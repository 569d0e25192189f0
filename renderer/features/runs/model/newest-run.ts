// The newest ended run of a system, or the newest that an agent had a turn in. Trials are left out.
import { parseRef } from '@svc/shared/resource';
import type { RunMetrics } from '@svc/shared/api/runs';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { isTrial } from '../../trials/model/trial-text.ts';
import { canAct } from '../actions/batch.ts';
import type { Run } from './run.ts';

/** Runs that are searched: an agent behind a condition may have had no turn in the newest ones. */
const LOOKED_THROUGH_MAX = 10;

export type ReadMetrics = (run: Run) => Promise<Pick<RunMetrics, 'per_agent'>>;

/** `runs` are newest first. */
export async function newestRunOf(of: ObjectRef, runs: readonly Run[], metricsOf: ReadMetrics): Promise<Run | undefined> {
  const ended = runs.filter((run) => canAct('retry', run) && !isTrial(run));
  if (of.kind !== 'Agent') return ended[0];
  for (const run of ended.slice(0, LOOKED_THROUGH_MAX)) {
    const { per_agent: agents } = await metricsOf(run);
    const turns = agents.some(({ agent }) => {
      const { namespace, name } = parseRef(agent, run.metadata.namespace);
      return namespace === of.namespace && name === of.name;
    });
    if (turns) return run;
  }
  return undefined;
}
