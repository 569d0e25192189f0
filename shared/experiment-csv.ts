// Results of an experiment as CSV (RFC 4180), for spreadsheets. Pure.
import type { ExperimentResult } from './api/experiments.ts';

const COLUMNS: readonly (readonly [title: string, cell: (result: ExperimentResult) => string | number | null])[] = [
  ['run', ({ run }) => run],
  ['case', (result) => result.case],
  ['variant', ({ variant }) => variant],
  ['repeat', ({ repeat }) => repeat],
  ['task', ({ task }) => task],
  ['outcome', ({ outcome }) => outcome],
  ['output', ({ output }) => output],
  ['output_chars', ({ output_chars: chars }) => chars],
  ['error', ({ error }) => error],
  ['tokens', ({ tokens }) => tokens],
  ['cost_usd', ({ cost_usd: cost }) => cost],
  ['unpriced_calls', ({ unpriced_calls: calls }) => calls],
  ['active_ms', ({ active_ms: ms }) => ms],
  ['thumb', ({ rating }) => rating?.thumb ?? null],
  ['note', ({ rating }) => rating?.note ?? null],
  ['rated_by', ({ rating }) => rating?.by ?? null],
];

/** A spreadsheet takes a text that begins so for a formula: models and people write these texts. */
const FORMULA = /^[=+\-@\t\r]/;

function field(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const line = (values: readonly (string | number | null)[]): string => `${values.map(field).join(',')}\r\n`;

export const experimentCsvHead = (): string => line(COLUMNS.map(([title]) => title));

export const experimentCsvLine = (result: ExperimentResult): string => line(COLUMNS.map(([, cell]) => cell(result)));
