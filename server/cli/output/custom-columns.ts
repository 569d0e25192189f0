// `-o custom-columns=NAME:.metadata.name,PHASE:.status.phase`: a table of the requested columns.
import { usageError } from '../program/exit-codes.ts';
import { parsePath, valueText } from '../arguments/json-path.ts';

const COLUMNS_MAX = 50;
const ABSENT = '<none>';

export interface CustomColumns {
  readonly header: readonly string[];
  readonly row: (object: unknown) => readonly string[];
}

/** Splits at commas outside brackets and quotes. */
const specsOf = (text: string): string[] => text.match(/(?:\[(?:'[^']*'|"[^"]*"|[^\]'"])*\]|[^,[])+/g) ?? [];

export function parseCustomColumns(text: string): CustomColumns {
  const columns = specsOf(text).map((spec) => {
    const at = spec.indexOf(':');
    if (at < 1) throw usageError(`the column "${spec}" is not TITLE:PATH`, 'such as -o custom-columns=NAME:.metadata.name');
    return { title: spec.slice(0, at).trim(), path: parsePath(spec.slice(at + 1)) };
  });
  if (columns.length === 0 || columns.length > COLUMNS_MAX)
    throw usageError(`-o custom-columns takes 1 to ${COLUMNS_MAX} columns`, 'such as -o custom-columns=NAME:.metadata.name');
  return {
    header: columns.map(({ title }) => title),
    row: (object) => columns.map(({ path }) => path(object).map(valueText).join(',') || ABSENT),
  };
}
