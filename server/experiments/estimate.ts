// Estimated runs, tokens and cost of an experiment, from the newest runs of its system.
import type { ExperimentEstimate } from '@svc/shared/api/experiments';
import { invalidFields } from '@svc/shared/errors';
import { checkSpec } from '@svc/shared/kinds/check';
import { experiment as kind } from '@svc/shared/kinds/experiment/index';
import { runsOf } from '@svc/shared/kinds/experiment/rules';
import { statusOf } from '@svc/shared/kinds/read';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { roundUsd } from '@svc/shared/money';
import { parseRef } from '@svc/shared/resource';
import type { StoredObject, StoreReader } from '../store/store.ts';
import { variantProblems } from './variants.ts';

/** Runs that the metrics are taken from. */
const SAMPLE = 50;

export async function estimateExperiment(
  store: StoreReader,
  draft: { readonly namespace: string; readonly spec: unknown },
): Promise<ExperimentEstimate> {
  const place = { namespace: draft.namespace, name: 'estimate' };
  const { spec, errors } = checkSpec(kind, draft.spec, { context: place, unknownFields: 'reject' });
  if (errors.length > 0) throw invalidFields('the experiment', errors);
  const runs = runsOf(spec);
  const past = await pastRuns(store, draft.namespace, spec.system);
  const known = past.map((run) => statusOf('Task', run));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const tokens = known.map(({ output }) => runOutput(output).tokens ?? 0);
  const costs = known.flatMap(({ costUsd, unpricedCalls = 0 }) => (costUsd !== undefined && unpricedCalls === 0 ? [costUsd] : []));
  return {
    runs,
    based_on: known.length,
    tokens: known.length === 0 ? null : Math.round(mean(tokens) * runs),
    cost_usd: known.length === 0 || costs.length < known.length ? null : roundUsd(mean(costs) * runs),
    problems: await variantProblems(store, place, spec),
  };
}

/** Ended runs among the newest of the system in this namespace, so that the cost does not grow with its history. */
async function pastRuns(store: StoreReader, namespace: string, system: string): Promise<StoredObject[]> {
  const { namespace: home, name } = parseRef(system, namespace);
  const spellings = [`${home}/${name}`, ...(home === namespace ? [name] : [])];
  const found = await Promise.all(
    spellings.map((value) =>
      store.listObjects({
        kind: 'Task',
        namespace,
        fields: [{ path: 'spec.system', op: 'eq', value }],
        order: '-createdAt',
        limit: SAMPLE,
      }),
    ),
  );
  const newest = found.flat().sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return newest.slice(0, SAMPLE).filter((task) => statusOf('Task', task).completedAt !== undefined);
}
