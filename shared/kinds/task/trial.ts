// Rules of a trial: a run for the design of a system, declared in `spec.trial` of its Task (docs/trials.md).
import type { FieldError } from '../../errors.ts';
import { parseRef } from '../../resource.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, atMostEntries, durationText, objectRef, oneOf } from '../field-rules.ts';
import { parseDuration } from '../../duration.ts';
import { refTo } from '../references.ts';
import { BREAKPOINT_PLACES } from './records.ts';
import type { TrialSpec } from './schema.ts';
import { BREAKPOINT_WAIT_DEFAULT, BREAKPOINT_WAIT_MAX, PINNED_KINDS, TRIAL_LIST_MAX } from './trial-limits.ts';

type DefinitionChanges = Pick<TrialSpec, 'versions' | 'overrides'>;

export function normalizeChanges({ versions, overrides }: DefinitionChanges) {
  const ownEntries = <Value>(map: Readonly<Record<string, Value>> | undefined) => (map && Object.keys(map).length > 0 ? map : undefined);
  const [model, prompt] = [ownEntries(overrides?.model), ownEntries(overrides?.prompt)];
  return defined({
    versions:
      versions && versions.length > 0
        ? versions.map(({ kind, name, generation }) => defined({ kind: kind.trim(), name: name.trim(), generation }))
        : undefined,
    overrides: model || prompt ? defined({ model, prompt }) : undefined,
  });
}

type StoredChanges = ReturnType<typeof normalizeChanges>;

/** `path` is the place of the changes, `spec.trial`. */
export function validateChanges({ versions = [], overrides }: StoredChanges, path: string): FieldError[] {
  return [
    ...atMostEntries(`${path}.versions`, versions.length, TRIAL_LIST_MAX),
    ...versions.flatMap(({ kind, name, generation }, index) => [
      ...oneOf(`${path}.versions[${index}].kind`, kind || undefined, PINNED_KINDS),
      ...objectRef(`${path}.versions[${index}].name`, name),
      ...atLeast(`${path}.versions[${index}].generation`, generation, 1),
    ]),
    ...repeated(versions.map(({ kind, name }) => `${kind} ${name}`)).map((key) => ({
      path: `${path}.versions`,
      message: `must name each object once, not ${key} twice`,
    })),
    ...atMostEntries(`${path}.overrides.model`, Object.keys(overrides?.model ?? {}).length, TRIAL_LIST_MAX),
    ...Object.entries(overrides?.model ?? {}).flatMap(([agent, ref]) =>
      ref.trim() === ''
        ? [{ path: `${path}.overrides.model.${agent}`, message: 'must name a ModelEndpoint' }]
        : objectRef(`${path}.overrides.model.${agent}`, ref),
    ),
    ...atMostEntries(`${path}.overrides.prompt`, Object.keys(overrides?.prompt ?? {}).length, TRIAL_LIST_MAX),
  ];
}

/** Definitions that changes name. Models are read in the namespace of the system's agents. */
export function changeReferences(
  { versions = [], overrides }: DefinitionChanges,
  path: string,
  place: RuleContext & { readonly system: string },
): Reference[] {
  const home = { ...place, namespace: parseRef(place.system, place.namespace).namespace };
  return [
    ...versions.flatMap(({ kind, name }, index) => refTo({ kind, path: `${path}.versions[${index}].name` }, name, place)),
    ...Object.entries(overrides?.model ?? {}).flatMap(([agent, ref]) =>
      refTo({ kind: 'ModelEndpoint', path: `${path}.overrides.model.${agent}` }, ref, home),
    ),
  ];
}

export function normalizeTrial(trial: TrialSpec) {
  const { breakpoints, pins, only, from, wait } = trial;
  return defined({
    breakpoints: breakpoints?.map(({ node, at }) => ({ node: node.trim(), at: keyword(at) ?? '' })),
    wait: trimmed(wait) ?? BREAKPOINT_WAIT_DEFAULT,
    pins: pins?.map(({ node, output, task }) => defined({ node: node.trim(), output, task: trimmed(task) })),
    only: only && defined({ node: only.node.trim(), task: trimmed(only.task) }),
    from: from && { node: from.node.trim(), task: from.task.trim() },
    ...normalizeChanges(trial),
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
    ...validateChanges(trial, 'spec.trial'),
    ...when(only !== undefined && from !== undefined, at('from', 'does not go with only: choose one of them')),
    ...when(only !== undefined && pins.length > 0, at('pins', 'does not go with only: no other agent runs')),
  ];
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
