// Runs scenarios one after the other and judges them; independent of the scenarios.
import type { Outcome, Scenario, Setting } from './scenario.ts';

type Verdict = 'held' | 'violated' | 'broke' | 'skipped';

export interface Result {
  readonly scenario: Scenario;
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly outcome: Outcome | undefined;
  /** Failures, ready to print; empty when there were none. */
  readonly failure: string;
}

/** Violations that are printed in full; the rest is counted. */
const SHOWN_MAX = 5;

export interface SuiteOptions extends Setting {
  /** True where a scenario that cannot run is a failure. */
  readonly nothingMayBeSkipped: boolean;
}

export async function runScenario(scenario: Scenario, options: SuiteOptions): Promise<Result> {
  const began = performance.now();
  const result = (verdict: Verdict, failure = '', outcome?: Outcome): Result => ({
    scenario,
    verdict,
    failure,
    outcome,
    durationMs: performance.now() - began,
  });
  const missing = await scenario.missing();
  if (missing) {
    options.say(`SKIPPED ${scenario.name}: ${missing.reason}`);
    const failed = options.nothingMayBeSkipped && !missing.excused;
    return result('skipped', failed ? `${scenario.name} was skipped where nothing may be: ${missing.reason}` : '');
  }
  try {
    const outcome = await scenario.run(options);
    return outcome.violations.length === 0
      ? result('held', '', outcome)
      : result('violated', describe(scenario, options, outcome), outcome);
  } catch (error) {
    return result('broke', `${heading(scenario, options)}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

const heading = ({ name }: Scenario, { seed, scale }: Setting) =>
  `seed ${seed}, scenario ${name} (--seed ${seed} --scale ${scale} --only ${name})`;

function describe(scenario: Scenario, setting: Setting, { violations, context }: Outcome): string {
  const shown = violations.slice(0, SHOWN_MAX);
  const counts = new Map<string, number>();
  for (const { invariant } of violations) counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
  const summary = [...counts].map(([invariant, count]) => `  ${count} × ${invariant}`);
  const texts = shown.map((violation) => {
    const { invariant, task, detail } = violation;
    return `violated: ${invariant}\n${task === undefined ? '' : `task ${task}: `}${detail}\n${context(violation)}`;
  });
  return [`${heading(scenario, setting)}: ${violations.length} violations`, ...summary, ...texts].join('\n');
}
