// Rules of a trial: a run for the design of a system, declared in `spec.trial` of its Task (docs/trials.md).
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import { durationText, oneOf } from '../field-rules.ts';
import { parseDuration } from '../../duration.ts';
import { BREAKPOINT_PLACES } from './records.ts';
import type { TrialSpec } from './schema.ts';
import { BREAKPOINT_WAIT_DEFAULT, BREAKPOINT_WAIT_MAX, TRIAL_LIST_MAX } from './trial-limits.ts';

export function normalizeTrial(trial: TrialSpec) {
  const { breakpoints, pins, only, from, wait } = trial;
  return defined({
    breakpoints: breakpoints?.map(({ node, at }) => ({ node: node.trim(), at: keyword(at) ?? '' })),
    wait: trimmed(wait) ?? BREAKPOINT_WAIT_DEFAULT,
    pins: pins?.map(({ node, output, task }) => defined({ node: node.trim(), output, task: trimmed(task) })),
    only: only && defined({ node: only.node.trim(), task: trimmed(only.task) }),
    from: from && { node: from.node.trim(), task: from.task.trim() },
  });
}

export type StoredTrial = ReturnType<typeof normalizeTrial>;

export function validateTrial(trial: StoredTrial | undefined, mode: string | undefined): FieldError[] {
  if (!trial) return [];
  const { breakpoints = [], pins = [], only, from, wait } = trial;
  const at = (path: string, message: string): FieldError => ({ path: `spec.trial.${path}`, message });
  const when = (holds: boolean, error: FieldError) => (holds ? [error] : []);
  const tooLong = (parseDuration(wait) ?? 0) > (parseDuration(BREAKPOINT_WAIT_MAX) ?? 0);
  return [
    ...when(mode === 'template', {
      path: 'spec.trial',
      message: 'does not go with a template: schedules, webhooks, Sessions and A2A start no trials; create a Task of mode run',
    }),
    ...when(breakpoints.length > TRIAL_LIST_MAX, at('breakpoints', `must have at most ${TRIAL_LIST_MAX} entries`)),
    ...when(pins.length > TRIAL_LIST_MAX, at('pins', `must have at most ${TRIAL_LIST_MAX} entries`)),
    ...durationText('spec.trial.wait', wait),
    ...when(tooLong, at('wait', `must be at most ${BREAKPOINT_WAIT_MAX}`)),
    ...breakpoints.flatMap((point, index) => oneOf(`spec.trial.breakpoints[${index}].at`, point.at || undefined, BREAKPOINT_PLACES)),
    ...pins.flatMap(({ output, task }, index) =>
      when((output === undefined) === (task === undefined), at(`pins[${index}]`, 'must have either an output or a task')),
    ),
    ...repeated(pins.map((pin) => pin.node)).map((node) => at('pins', `must name each agent once, not ${node} twice`)),
    ...when(only !== undefined && from !== undefined, at('from', 'does not go with only: choose one of them')),
    ...when(only !== undefined && pins.length > 0, at('pins', 'does not go with only: no other agent runs')),
  ];
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
