// Rules of Experiment at write time. Whether its variants can run is judged by the server, which has the definitions.
import type { FieldError } from '../../errors.ts';
import { defined } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, atMostEntries, objectRef } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { changeReferences, normalizeChanges, validateChanges } from '../task/trial.ts';
import {
  EXPERIMENT_CASES_MAX,
  EXPERIMENT_NAME_MAX,
  EXPERIMENT_PARALLELISM_DEFAULT,
  EXPERIMENT_PARALLELISM_MAX,
  EXPERIMENT_PART_MAX_BYTES,
  EXPERIMENT_REPEATS_MAX,
  EXPERIMENT_RUNS_MAX,
  EXPERIMENT_RUNS_WITHOUT_BUDGET,
  EXPERIMENT_VARIANTS_MAX,
  TODAY_VARIANT,
} from './limits.ts';
import type { WrittenExperimentSpec } from './schema.ts';

export function normalizeExperiment(spec: WrittenExperimentSpec) {
  const { max_tokens, max_cost_usd } = spec.budget ?? {};
  const variants = spec.variants?.length ? spec.variants : [{ name: TODAY_VARIANT }];
  return defined({
    ...spec,
    system: spec.system.trim(),
    cases: spec.cases.map(({ name, input }) => ({ name: name.trim(), input: input ?? {} })),
    variants: variants.map(({ name, ...changes }) => ({ name: name.trim(), ...normalizeChanges(changes) })),
    repeats: spec.repeats ?? 1,
    parallelism: spec.parallelism ?? EXPERIMENT_PARALLELISM_DEFAULT,
    budget: max_tokens === undefined && max_cost_usd === undefined ? undefined : defined({ max_tokens, max_cost_usd }),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type ExperimentSpec = ReturnType<typeof normalizeExperiment>;

/** Runs of the whole experiment. */
export function runsOf({ cases, variants, repeats }: Pick<ExperimentSpec, 'cases' | 'variants' | 'repeats'>): number {
  return cases.length * variants.length * repeats;
}

export function validateExperiment(spec: ExperimentSpec): FieldError[] {
  const { cases, variants, repeats, parallelism } = spec;
  return [
    ...objectRef('spec.system', spec.system),
    ...atMostEntries('spec.cases', cases.length, EXPERIMENT_CASES_MAX),
    ...atMostEntries('spec.variants', variants.length, EXPERIMENT_VARIANTS_MAX),
    ...partNames('spec.cases', cases),
    ...partNames('spec.variants', variants),
    ...partSizes('spec.cases', cases),
    ...partSizes('spec.variants', variants),
    ...variants.flatMap((variant, index) => validateChanges(variant, `spec.variants[${index}]`)),
    ...within('spec.repeats', repeats, EXPERIMENT_REPEATS_MAX),
    ...atLeast('spec.max_turns', spec.max_turns, 0),
    ...within('spec.parallelism', parallelism, EXPERIMENT_PARALLELISM_MAX),
    ...atLeast('spec.budget.max_tokens', spec.budget?.max_tokens, 1),
    ...((spec.budget?.max_cost_usd ?? 1) > 0 ? [] : [{ path: 'spec.budget.max_cost_usd', message: 'must be above 0' }]),
    ...sizeErrors(spec),
  ];
}

function sizeErrors(spec: ExperimentSpec): FieldError[] {
  const runs = runsOf(spec);
  const sizes = `${spec.cases.length} cases × ${spec.variants.length} variants × ${spec.repeats} repeats are ${runs} runs`;
  if (runs > EXPERIMENT_RUNS_MAX) return [{ path: 'spec.cases', message: `must make at most ${EXPERIMENT_RUNS_MAX} runs; ${sizes}` }];
  if (runs <= EXPERIMENT_RUNS_WITHOUT_BUDGET || spec.budget !== undefined) return [];
  const message = `is needed above ${EXPERIMENT_RUNS_WITHOUT_BUDGET} runs: set max_tokens or max_cost_usd; ${sizes}`;
  return [{ path: 'spec.budget', message }];
}

function within(path: string, value: number, most: number): FieldError[] {
  return value >= 1 && value <= most ? [] : [{ path, message: `must be from 1 to ${most}, not ${value}` }];
}

/** Names appear in tables and labels: one line each, without duplicates. */
function partNames(path: string, parts: readonly { readonly name: string }[]): FieldError[] {
  const seen = new Set<string>();
  return parts.flatMap(({ name }, index) => {
    const at = (message: string) => [{ path: `${path}[${index}].name`, message }];
    if (seen.has(name)) return at(`must be unique, and ${JSON.stringify(name.slice(0, EXPERIMENT_NAME_MAX))} occurs twice`);
    seen.add(name);
    if (name.length > EXPERIMENT_NAME_MAX) return at(`must have at most ${EXPERIMENT_NAME_MAX} characters`);
    return /\p{Cc}/u.test(name) ? at('must not have control characters') : [];
  });
}

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

function partSizes(path: string, parts: readonly unknown[]): FieldError[] {
  return parts.flatMap((part, index) => {
    const bytes = bytesOf(part);
    const message = `must have at most ${EXPERIMENT_PART_MAX_BYTES} bytes as JSON, not ${bytes}: each of its runs has a copy`;
    return bytes > EXPERIMENT_PART_MAX_BYTES ? [{ path: `${path}[${index}]`, message }] : [];
  });
}

export function experimentReferences(spec: ExperimentSpec, context: RuleContext): Reference[] {
  return refTo({ kind: 'AgentSystem', path: 'spec.system' }, spec.system, context);
}

export function experimentChangeReferences({ system, variants }: ExperimentSpec, context: RuleContext): Reference[] {
  return variants.flatMap((variant, index) => changeReferences(variant, `spec.variants[${index}]`, { ...context, system }));
}
