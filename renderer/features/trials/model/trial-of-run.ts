// The Task of a trial that reuses a run. Pure.
import type { NewObject } from '../../../live/creator.ts';
import { runName } from '../../runs/model/run-name.ts';
import type { Run } from '../../runs/model/run.ts';
import type { TrialBody } from './trial-text.ts';

/** With the input and the bounds of the run, and the current definitions. */
export function trialOfRun({ metadata, spec }: Run, trial: TrialBody, now: Date): NewObject {
  const { system, input, priority, max_turns: turns = 0 } = spec;
  return {
    apiVersion: 'svc.dev/v1',
    kind: 'Task',
    metadata: { name: runName(system.slice(system.indexOf('/') + 1), now), namespace: metadata.namespace },
    spec: { system, input, priority, ...(turns > 0 && { max_turns: turns }), trial },
  };
}
