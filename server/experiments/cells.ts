// Place of a run in the table of an experiment, and the Task that runs it. Pure.
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { ExperimentSpec } from '@svc/shared/kinds/experiment/rules';
import { RESULT_TEXT_MAX } from '@svc/shared/kinds/experiment/limits';
import { activeMs, taskOutcome } from '@svc/shared/kinds/task/outcome';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { EXPERIMENT_LABEL } from '@svc/shared/run-origin';
import { API_VERSION } from '@svc/shared/resource';
import { textStart } from '@svc/shared/text-start';
import type { StoredObject } from '../store/store.ts';
import { labelValue } from '../triggers/create-run.ts';
import { EXPERIMENT, type CellRecord } from './records.ts';

const CAUSE_LABEL = 'svc.dev/created-by';
const CAUSE = 'experiment';

/** Indexes of a run in the spec. */
export interface CellPlace {
  readonly case: number;
  readonly variant: number;
  /** From 1. */
  readonly repeat: number;
}

/** Runs are numbered from 1: variants next to each other, then cases, then repeats, so that a part of the table holds whole comparisons. */
export function placeOf({ cases, variants }: Pick<ExperimentSpec, 'cases' | 'variants'>, run: number): CellPlace {
  const index = run - 1;
  const row = Math.floor(index / variants.length);
  return { variant: index % variants.length, case: row % cases.length, repeat: Math.floor(row / cases.length) + 1 };
}

/** Characters of the experiment's name in the names of its Tasks. */
const NAME_PART_MAX = 200;

export const taskName = (experiment: string, run: number): string =>
  `${experiment.slice(0, NAME_PART_MAX)}-${String(run).padStart(4, '0')}`;

/** Body of the Task of a run, without its name. */
export function taskOf(experiment: Pick<StoredObject, 'namespace' | 'name' | 'spec'>, run: number) {
  const spec = specOf(EXPERIMENT, experiment);
  const place = placeOf(spec, run);
  const [row, column] = [spec.cases[place.case], spec.variants[place.variant]];
  const { name: variant = '', ...changes } = column ?? {};
  return {
    apiVersion: API_VERSION,
    kind: 'Task',
    metadata: {
      labels: {
        [CAUSE_LABEL]: CAUSE,
        [EXPERIMENT_LABEL]: experiment.name,
        'svc.dev/experiment-case': labelValue(row?.name ?? ''),
        'svc.dev/experiment-variant': labelValue(variant),
        'svc.dev/experiment-repeat': String(place.repeat),
      },
    },
    spec: {
      ...{ system: spec.system, input: row?.input ?? {}, trial: changes },
      ...(spec.max_turns !== undefined && { max_turns: spec.max_turns }),
    },
  };
}

/** Result of an ended Task. It stays when the Task is deleted. */
export function resultOf(task: StoredObject): CellRecord {
  const status = statusOf('Task', task);
  const { output, lastError, costUsd, unpricedCalls, completedAt } = status;
  const ms = completedAt === undefined ? undefined : activeMs(status, Date.parse(completedAt));
  const { answer, tokens = 0 } = runOutput(output);
  const known = costUsd !== undefined || tokens === 0;
  return {
    task: { name: task.name, uid: task.uid },
    outcome: taskOutcome(status),
    ...(answer !== undefined && { output: textStart(answer, RESULT_TEXT_MAX), outputChars: answer.length }),
    ...(lastError !== undefined && { error: textStart(lastError, RESULT_TEXT_MAX) }),
    tokens,
    ...(costUsd !== undefined && { costUsd }),
    unpricedCalls: known ? (unpricedCalls ?? 0) : Math.max(1, unpricedCalls ?? 0),
    ...(ms !== undefined && { activeMs: ms }),
    ...(completedAt !== undefined && { completedAt }),
  };
}
