// Shapes of Experiment: runs of an AgentSystem over cases, each with several versions of its definitions.
import { z } from 'zod';
import { commonStatus, group, integer, listOf, number, requiredText, text, textMap } from '../fields.ts';
import { definitionChanges } from '../task/schema.ts';
import {
  EXPERIMENT_CASES_MAX,
  EXPERIMENT_PARALLELISM_DEFAULT,
  EXPERIMENT_PARALLELISM_MAX,
  EXPERIMENT_REPEATS_MAX,
  EXPERIMENT_RUNS_WITHOUT_BUDGET,
  EXPERIMENT_VARIANTS_MAX,
  TODAY_VARIANT,
} from './limits.ts';

export const EXPERIMENT_PHASES = ['Pending', 'Running', 'Completed', 'Stopped', 'Cancelled', 'Failed'] as const;
/** Phases an Experiment never leaves. */
export const EXPERIMENT_TERMINAL_PHASES = [
  'Completed',
  'Stopped',
  'Cancelled',
  'Failed',
] as const satisfies readonly (typeof EXPERIMENT_PHASES)[number][];

const experimentCase = z.strictObject({
  name: requiredText('Name of the case in the table of results.'),
  input: textMap('Input of its runs.', { defaultText: '{}' }),
});

const variant = z.strictObject({
  name: requiredText('Name of the variant in the table of results.'),
  ...definitionChanges,
});

export const experimentSpec = z.strictObject({
  system: requiredText('The AgentSystem to run, as name or namespace/name.', { format: 'ref:AgentSystem' }),
  cases: z
    .array(experimentCase)
    .default([])
    .meta({ description: `Rows of the table, ${EXPERIMENT_CASES_MAX} at most.`, required: true }),
  variants: listOf(
    `Columns of the table, ${EXPERIMENT_VARIANTS_MAX} at most. A variant without changes runs the current definitions.`,
    variant,
    {
      defaultText: `one, ${TODAY_VARIANT}`,
    },
  ),
  repeats: integer(`Runs of each case with each variant, 1 to ${EXPERIMENT_REPEATS_MAX}.`, { defaultText: '1' }),
  parallelism: integer(`Runs at once, 1 to ${EXPERIMENT_PARALLELISM_MAX}.`, { defaultText: String(EXPERIMENT_PARALLELISM_DEFAULT) }),
  max_turns: integer('Maximum number of agent turns on one branch of a run; 0 means no limit. Above 0 is required for a cyclic graph.'),
  budget: group(
    `No run starts once ended runs have used it up; active runs continue. Required above ${EXPERIMENT_RUNS_WITHOUT_BUDGET} runs.`,
    {
      max_tokens: integer('Tokens of all runs together.'),
      max_cost_usd: number('Cost of all runs together in US dollars; a run whose cost is not known ends the experiment.'),
    },
  ),
});

const counts = {
  runs: integer('Runs that have begun.'),
  succeeded: integer('Runs that succeeded.'),
  failed: integer('Runs that failed, dead-lettered ones included.'),
  cancelled: integer('Runs that were cancelled or deleted.'),
  denied: integer('Runs that a person denied.'),
  tokens: integer('Tokens of the ended runs.'),
  costUsd: number('Known cost of the ended runs in US dollars.'),
  unpricedRuns: integer('Ended runs with a call whose price is not known: costUsd lacks it.'),
};

export const experimentStatus = z.strictObject({
  ...commonStatus,
  reason: text('Why no further run begins: cancelled, budget_reached, cost_unknown or cannot_run.'),
  total: integer('Runs of the whole experiment.'),
  ...counts,
  active: integer('Runs that have begun and not ended.'),
  startedAt: text('When the first runs were created.', { format: 'date-time' }),
  completedAt: text('When the last run had ended.', { format: 'date-time' }),
  variants: listOf(
    'Metrics of each variant.',
    z.strictObject({
      name: text('The variant.'),
      ...counts,
      p50Ms: integer('Active time in milliseconds that half of the ended runs took at most.'),
      p95Ms: integer('Active time in milliseconds that 95 % of the ended runs took at most.'),
      up: integer('Results with a thumb up.'),
      down: integer('Results with a thumb down.'),
    }),
  ),
});

export type WrittenExperimentSpec = z.infer<typeof experimentSpec>;
export type ExperimentStatus = z.infer<typeof experimentStatus>;
