// The form of a run: the keys of earlier inputs, and the resulting Task. Pure.
import type { Resource } from '@svc/shared/resource';
import { specOf } from '../../../kinds/read.ts';
import type { NewObject } from '../../../live/creator.ts';
import { fieldTexts } from '../../../ui/text/exact-json.ts';
import { CASE_LABEL } from '../../runs/model/case-label.ts';
import { runName } from '../../runs/model/run-name.ts';

export interface InputRow {
  readonly key: string;
  readonly value: string;
}

export interface PastInput {
  readonly task: string;
  readonly createdAt: string;
  readonly rows: readonly InputRow[];
}

export interface RunRequest {
  readonly system: string;
  readonly namespace: string;
  readonly name: string;
  readonly rows: readonly InputRow[];
  readonly priority: string;
  /** 0 means no bound. */
  readonly maxTurns: number;
  /** `spec.trial`; absent for an ordinary run. */
  readonly trial?: object | undefined;
}

const PAST_MAX = 12;

function rowsOf(input: Input): InputRow[] {
  return Object.entries(input).map(([key, value]) => ({ key, value }));
}

type Input = Readonly<Record<string, string>>;

/** Whether it is the input of a turn of a Session. */
export const isTurn = (input: Input): boolean => 'session_id' in input && 'turn_id' in input;

/** The input without the ids that a Session adds to each of its turns. */
export function withoutTurn(input: Input): Input {
  if (!isTurn(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== 'session_id' && key !== 'turn_id'));
}

/** Distinct inputs of earlier runs, the newest first; turns of Sessions are left out. */
export function pastInputs(tasks: readonly Resource[], most = PAST_MAX): PastInput[] {
  const seen = new Set<string>();
  const newest = [...tasks].sort((a, b) => b.metadata.createdAt.localeCompare(a.metadata.createdAt));
  return newest
    .flatMap((task): PastInput[] => {
      const { metadata } = task;
      const { input } = specOf('Task', task);
      const rows = rowsOf(input);
      const key = JSON.stringify(rows);
      if (rows.length === 0 || isTurn(input) || seen.has(key)) return [];
      seen.add(key);
      return [{ task: metadata.name, createdAt: metadata.createdAt, rows }];
    })
    .slice(0, most);
}

/** Initial rows of the form: the keys of the newest run with its values, or one empty row. */
export function firstRows(past: readonly PastInput[]): readonly InputRow[] {
  return past[0]?.rows ?? [{ key: 'request', value: '' }];
}

/** Rows that would lose a value: the input keeps one value for each key. */
export function rowsProblem(rows: readonly InputRow[]): string | undefined {
  if (rows.some(({ key, value }) => key.trim() === '' && value.trim() !== '')) return 'Write a key for each value';
  const keys = rows.map(({ key }) => key.trim()).filter((key) => key !== '');
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  return twice === undefined ? undefined : `Rename one of the two keys ${twice}`;
}

/** The rows as editable JSON. */
export function rowsText(rows: readonly InputRow[]): string {
  return JSON.stringify(
    Object.fromEntries(rows.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value])),
    null,
    2,
  );
}

/** Rows of such a text, or its problem. Non-text values are written as JSON, since inputs are texts. */
export function rowsFrom(text: string): { readonly rows: readonly InputRow[] } | { readonly problem: string } {
  try {
    const texts = fieldTexts(text);
    return texts ? { rows: rowsOf(texts) } : { problem: 'Write an object: {"request": "…"}' };
  } catch (error) {
    return { problem: `Not valid JSON: ${error instanceof Error ? error.message : 'syntax error'}` };
  }
}

export function taskOf({ system, namespace, name, rows, priority, maxTurns, trial }: RunRequest): NewObject {
  const given = rows.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value] as const);
  return {
    apiVersion: 'svc.dev/v1',
    kind: 'Task',
    metadata: { name, namespace },
    spec: {
      system,
      ...(given.length > 0 && { input: Object.fromEntries(given) }),
      ...(priority !== 'normal' && { priority }),
      ...(maxTurns > 0 && { max_turns: maxTurns }),
      ...(trial && { trial }),
    },
  };
}

/** The template that keeps an input under a name. */
export function caseOf({ name, namespace, system, rows }: Pick<RunRequest, 'name' | 'namespace' | 'system' | 'rows'>): NewObject {
  const { apiVersion, kind, spec } = taskOf({ name, namespace, system, rows, priority: 'normal', maxTurns: 0 });
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels: { [CASE_LABEL]: 'true' } },
    spec: { mode: 'template', ...spec },
  };
}

/** The request that repeats a run under a new name. */
export function againOf(run: Resource, now: Date): RunRequest {
  const { system = '', input = {}, priority = 'normal', max_turns: turns = 0 } = specOf('Task', run);
  const { namespace } = run.metadata;
  const name = runName(system, now);
  return { system, namespace, name, rows: rowsOf(withoutTurn(input)), priority, maxTurns: turns };
}
