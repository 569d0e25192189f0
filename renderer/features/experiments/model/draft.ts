// Form of a new experiment, and the spec that it makes. Pure.
import { isObject } from '@svc/shared/json';
import { EXPERIMENT_RUNS_WITHOUT_BUDGET, TODAY_VARIANT } from '@svc/shared/kinds/experiment/limits';
import { nameProblem } from '@svc/shared/resource';
import { fieldTexts } from '../../../ui/text/exact-json.ts';

export interface CaseRow {
  /** Stable while the form is open. */
  readonly id: number;
  readonly name: string;
  /** Input as a JSON object of texts. */
  readonly text: string;
}

/** The kind that the form makes. */
export const EXPERIMENT = 'Experiment';

export type Change = 'today' | 'version' | 'prompt' | 'model' | 'given';

/** Changes of several definitions at once; the form keeps them as they are. */
export interface GivenChanges {
  /** `prompt of clerk, model of writer`. */
  readonly words: string;
  readonly versions?: readonly { readonly kind: string; readonly name: string; readonly generation: number }[];
  readonly overrides?: {
    readonly model?: Readonly<Record<string, string>>;
    readonly prompt?: Readonly<Record<string, string>>;
  };
}

export interface VariantRow {
  readonly id: number;
  readonly name: string;
  readonly change: Change;
  /** The agent that differs; empty stands for the system itself. */
  readonly agent: string;
  readonly generation: number;
  /** Prompt, or name of a ModelEndpoint. */
  readonly text: string;
  /** Present for the change `given`. */
  readonly given?: GivenChanges;
}

export interface Draft {
  readonly name: string;
  readonly system: string;
  readonly cases: readonly CaseRow[];
  readonly variants: readonly VariantRow[];
  readonly repeats: string;
  readonly parallelism: string;
  /** Bound of each run. */
  readonly maxTurns: string;
  readonly maxTokens: string;
}

export const emptyDraft = (system: string): Draft => ({
  ...{ name: '', system, repeats: '1', parallelism: '4', maxTurns: '', maxTokens: '' },
  cases: [],
  variants: [{ id: 1, name: TODAY_VARIANT, change: 'today', agent: '', generation: 0, text: '' }],
});

/** A form that was kept as text; undefined for an invalid text. */
export function readKept(text: string): Draft | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !Array.isArray(value['cases']) || !Array.isArray(value['variants'])) return undefined;
    return { ...emptyDraft(''), ...(value as Partial<Draft>) };
  } catch {
    return undefined;
  }
}

export const nextId = (rows: readonly { readonly id: number }[]): number => Math.max(0, ...rows.map(({ id }) => id)) + 1;

/** Input of a case, or the problem of its text. */
export function inputOf(text: string): { readonly input: Readonly<Record<string, string>> } | { readonly problem: string } {
  try {
    const input = text.trim() === '' ? {} : fieldTexts(text);
    return input ? { input } : { problem: 'Write an object such as {"message": "Hello"}' };
  } catch {
    return { problem: 'This is not valid JSON: write an object such as {"message": "Hello"}' };
  }
}

function changesOf({ change, agent, generation, text, given }: VariantRow, system: string): object {
  if (change === 'given') {
    const { versions, overrides } = given ?? {};
    return { ...(versions && { versions }), ...(overrides && { overrides }) };
  }
  if (change === 'version') {
    const object = agent === '' ? { kind: 'AgentSystem', name: system } : { kind: 'Agent', name: agent };
    return { versions: [{ ...object, generation }] };
  }
  return change === 'today' ? {} : { overrides: { [change]: { [agent]: text } } };
}

const numberOf = (text: string): { readonly value?: number } => (text.trim() === '' ? {} : { value: Number(text) });

export function specOfDraft({
  system,
  cases,
  variants,
  repeats,
  parallelism,
  maxTurns,
  maxTokens,
}: Draft): Readonly<Record<string, unknown>> {
  const [tokens, count, width, turns] = [maxTokens, repeats, parallelism, maxTurns].map((text) => numberOf(text).value);
  return {
    system,
    cases: cases.map(({ name, text }) => ({
      name: name.trim(),
      ...('input' in inputOf(text) && { input: (inputOf(text) as { input: object }).input }),
    })),
    variants: variants.map((row) => ({ name: row.name.trim(), ...changesOf(row, system) })),
    ...(count !== undefined && { repeats: count }),
    ...(width !== undefined && { parallelism: width }),
    ...(turns !== undefined && { max_turns: turns }),
    ...(tokens !== undefined && { budget: { max_tokens: tokens } }),
  };
}

const whole = (text: string): string | undefined => (/^\d{1,15}$/.test(text.trim()) ? undefined : 'Enter a whole number');

/** Problems that the form finds by itself, by field; the server judges the rest. `case-1`, `case-text-1`, `variant-1` are rows by their ids. */
export function problemsOf(draft: Draft): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  const note = (field: string, problem: string | undefined) => problem !== undefined && problems.set(field, problem);
  note('name', draft.name === '' ? 'Enter a name' : nameProblem(draft.name));
  note('system', draft.system === '' ? 'Choose a system' : undefined);
  note('cases', draft.cases.length === 0 ? 'Add a case: an input that each variant is run with' : undefined);
  noteRows(draft.cases, 'case', note);
  noteRows(draft.variants, 'variant', note);
  for (const { id, text } of draft.cases) {
    const read = inputOf(text);
    note(`case-text-${id}`, 'problem' in read ? read.problem : undefined);
  }
  for (const { id, change, agent, generation, text } of draft.variants) {
    if ((change === 'prompt' || change === 'model') && agent === '') note(`change-${id}`, 'Choose an agent');
    else if (change === 'version' && generation < 1) note(`change-${id}`, 'Choose a version');
    else if (change === 'model' && text === '') note(`change-${id}`, 'Choose a model');
  }
  note('repeats', whole(draft.repeats));
  note('parallelism', whole(draft.parallelism));
  note('maxTurns', draft.maxTurns.trim() === '' ? undefined : whole(draft.maxTurns));
  note('maxTokens', draft.maxTokens.trim() === '' ? budgetProblem(draft) : whole(draft.maxTokens));
  return problems;
}

function budgetProblem({ cases, variants, repeats }: Draft): string | undefined {
  const runs = cases.length * variants.length * (Number(repeats) || 1);
  return runs > EXPERIMENT_RUNS_WITHOUT_BUDGET ? `Enter a budget: these are ${runs} runs` : undefined;
}

type Note = (field: string, problem: string | undefined) => void;

function noteRows(rows: readonly { readonly id: number; readonly name: string }[], word: string, note: Note): void {
  for (const [index, { id, name }] of rows.entries()) {
    const first = rows.findIndex((other) => other.name.trim() === name.trim());
    note(`${word}-${id}`, name.trim() === '' ? 'Enter a name' : first < index ? 'This name is already used' : undefined);
  }
}
