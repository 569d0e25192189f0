// Changes of single places in block YAML that leave every other character unchanged; flow-edits.ts has those between brackets. Pure. Each
// returns undefined for a notation that it does not support; edit-document.ts checks every result and has another way.
import { isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { toYaml } from './serialise.ts';
import { rangeOfNode, type TextRange } from './yaml-paths.ts';

export interface TextEdit extends TextRange {
  readonly insert: string;
}

const isPlainCollection = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Offset behind the line break that ends the line. */
function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

function indented(yaml: string, column: number): string {
  return yaml.replace(/\n(?=[^\n])/g, `\n${' '.repeat(column)}`);
}

/** End of a node's own lines: a block's range extends to the next line or beyond. */
function contentEnd(text: string, range: TextRange): number {
  let end = range.to;
  while (end > range.from && /\s/.test(text[end - 1] ?? '')) end -= 1;
  return end;
}

/** End of the line at an offset, before its line break. */
function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at;
}

export interface ScalarEdit {
  readonly value: unknown;
  /** Notation of an unquoted value between brackets, where that is its place. */
  readonly inFlow?: (value: unknown) => string;
}

/** Replaces a value by another on the same line, in the quotes of the old one: both fit on one. */
export function replaceScalar(text: string, node: unknown, { value, inFlow }: ScalarEdit): TextEdit | undefined {
  if (!isScalar(node) || typeof value === 'object') return undefined;
  const range = rangeOfNode(node);
  const { type } = node;
  if (!range || range.from === range.to || type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED') return undefined;
  if (text.slice(range.from, range.to).includes('\n')) return undefined;
  return { ...range, insert: scalarText({ value, ...(inFlow && { inFlow }) }, type) };
}

function scalarText({ value, inFlow }: ScalarEdit, type: Scalar.Type | undefined): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? null);
  if (type === 'QUOTE_DOUBLE') return JSON.stringify(value);
  if (type === 'QUOTE_SINGLE' && !/[\n\t\r]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  if (inFlow) return inFlow(value);
  const plain = toYaml(value).trimEnd();
  return plain.includes('\n') ? JSON.stringify(value) : plain;
}

function isBlock(text: string, node: YAMLMap | YAMLSeq): boolean {
  const range = rangeOfNode(node);
  return node.flow !== true && range !== undefined && !/[[{]/.test(text[range.from] ?? '');
}

interface PairPlace {
  readonly column: number;
  readonly from: number;
  readonly to: number;
}

/** Range of a pair that begins on a line of its own or right after a dash. */
function placeOf(text: string, start: number, range: TextRange): PairPlace | undefined {
  const lead = text.slice(lineStart(text, start), start);
  if (!/^[\s-]*$/.test(lead) || lead.includes('\t')) return undefined;
  return { column: lead.length, from: start, to: contentEnd(text, range) };
}

function pairRange(pair: Pair<unknown, unknown>): TextRange | undefined {
  const key = rangeOfNode(pair.key);
  const value = rangeOfNode(pair.value);
  return key && { from: key.from, to: Math.max(key.to, value?.to ?? 0) };
}

function pairYaml(key: string, value: unknown, column: number): string {
  return indented(toYaml({ [key]: value }).trimEnd(), column);
}

/** A key with its value at the end of a block map, in the column of the others. */
export function appendPair(text: string, map: YAMLMap, entry: { readonly key: string; readonly value: unknown }): TextEdit | undefined {
  const last = map.items.at(-1);
  const first = map.items[0];
  const range = last && pairRange(last);
  const start = first && rangeOfNode(first.key)?.from;
  if (!range || start === undefined || !isBlock(text, map)) return undefined;
  const place = placeOf(text, start, range);
  if (!place) return undefined;
  const after = behindLine(text, place.to);
  return {
    from: after.at,
    to: after.at,
    insert: `${after.lead}${' '.repeat(place.column)}${pairYaml(entry.key, entry.value, place.column)}${after.tail}`,
  };
}

/** Offset right behind a line, and the line breaks that a new line there needs. */
function behindLine(text: string, offset: number): { readonly at: number; readonly lead: string; readonly tail: string } {
  const at = nextLine(text, offset);
  const broken = at > 0 && text[at - 1] === '\n';
  return broken ? { at, lead: '', tail: '\n' } : { at, lead: '\n', tail: '' };
}

/** `: value` as written behind a key in a column. */
function behindKey(value: unknown, column: number): string {
  return pairYaml('k', value, column).slice(1);
}

/** Replaces the whole of a key's value. Comments within it go; those before and behind it stay. */
export function replacePairValue(text: string, pair: Pair<unknown, unknown>, value: unknown): TextEdit | undefined {
  const key = rangeOfNode(pair.key);
  const range = pairRange(pair);
  const place = key && range && placeOf(text, key.from, range);
  if (!place || !key) return undefined;
  const between = text.slice(key.to, place.to);
  // A comment behind `key:` belongs to the key and not to its value.
  if (!/^\s*:/.test(between) || /^\s*:[^\S\n]*#/.test(between)) return undefined;
  return { from: key.to, to: place.to, insert: behindKey(value, place.column) };
}

/** A list or map in place of an empty value, `{}` or `[]`, below the key and the comment behind it. */
export function fillEmpty(text: string, pair: Pair<unknown, unknown>, value: unknown): TextEdit | undefined {
  const key = rangeOfNode(pair.key);
  const range = pairRange(pair);
  const place = key && range && placeOf(text, key.from, range);
  const colon = key && /^\s*:/.exec(text.slice(key.to));
  if (!place || !colon || !isEmpty(pair.value) || !isPlainCollection(value)) return undefined;
  const to = Math.max(place.to, key.to + colon[0].length);
  const comment = text.slice(to, lineEnd(text, to)).trimEnd();
  if (!/^(\s+#.*)?$/.test(comment) || text.slice(key.to, to).includes('#')) return undefined;
  return { from: key.to, to: to + comment.length, insert: `:${comment}${behindKey(value, place.column).slice(1)}` };
}

function isEmpty(node: unknown): boolean {
  if (isMap(node) || isSeq(node)) return node.items.length === 0;
  return node === null || (isScalar(node) && node.value === null);
}

/** Removes the only member of a block list or map: `[]` or `{}` stays, with the comments above the member. */
export function emptyBlock(text: string, node: YAMLMap | YAMLSeq, pair: Pair<unknown, unknown> | undefined): TextEdit | undefined {
  const range = rangeOfNode(node);
  if (!range || !isBlock(text, node)) return undefined;
  const written = isMap(node) ? '{}' : '[]';
  const to = lineEnd(text, contentEnd(text, range));
  const key = pair && rangeOfNode(pair.key);
  if (!key) return { from: range.from, to, insert: written };
  const [, colon, rest] = /^(\s*:)(.*)$/s.exec(text.slice(key.to, range.from)) ?? [];
  return colon === undefined ? undefined : { from: key.to, to, insert: `${colon} ${written}${(rest ?? '').trimEnd()}` };
}

/** Comment lines right above a line, with no blank line between. */
function withCommentsAbove(text: string, from: number, column: number): number {
  let start = from;
  for (;;) {
    if (start === 0) return start;
    const above = lineStart(text, start - 1);
    const line = text.slice(above, start);
    if (!new RegExp(`^ {${column}}#`).test(line)) return start;
    start = above;
  }
}

/** Removes lines, from the line at an offset to the end of the line at another. */
function cutLines(text: string, place: PairPlace, comments: boolean): TextEdit | undefined {
  const start = lineStart(text, place.from);
  if (text.slice(start, place.from).trim() !== '') return undefined;
  const from = comments ? withCommentsAbove(text, start, place.column) : start;
  const to = nextLine(text, place.to);
  // The last line has no break behind it: the previous break is removed, so that the text ends as before.
  const unbroken = to === text.length && text[to - 1] !== '\n' && from > 0;
  return { from: unbroken ? from - 1 : from, to, insert: '' };
}

/** Removes a key with its value from a block map that keeps others. */
export function removePair(text: string, map: YAMLMap, pair: Pair<unknown, unknown>): TextEdit | undefined {
  const range = pairRange(pair);
  if (!range || map.items.length < 2 || !isBlock(text, map)) return undefined;
  const place = placeOf(text, range.from, range);
  if (!place) return undefined;
  return text.slice(lineStart(text, range.from), range.from).includes('-')
    ? removeBehindDash(text, map, place)
    : cutLines(text, place, map.items[0] !== pair);
}

/** Without the first key of an entry the second one follows the dash. */
function removeBehindDash(text: string, map: YAMLMap, { from, to }: PairPlace): TextEdit | undefined {
  const next = rangeOfNode(map.items[1]?.key)?.from;
  if (next === undefined || text.slice(nextLine(text, to), next).trim() !== '') return undefined;
  return { from, to: next, insert: '' };
}

/** The dash at the start of an entry of a block list. */
function dashOf(text: string, node: unknown): number | undefined {
  const range = rangeOfNode(node);
  if (!range) return undefined;
  const before = text.slice(0, range.from);
  const dash = /-[^\S\n]*$/.exec(before);
  return dash ? dash.index : undefined;
}

function entryYaml(value: unknown, column: number): string {
  return indented(`- ${indented(toYaml(value).trimEnd(), 2)}`, column);
}

/** An entry into a non-empty block list, before the one at `index` or behind the last. */
export function insertEntry(text: string, list: YAMLSeq, entry: { readonly index: number; readonly value: unknown }): TextEdit | undefined {
  if (list.items.length === 0 || !isBlock(text, list)) return undefined;
  const { index, value } = entry;
  const first = dashOf(text, list.items[0]);
  if (first === undefined) return undefined;
  const column = first - lineStart(text, first);
  if (index >= list.items.length) {
    const range = rangeOfNode(list.items.at(-1));
    if (!range || text.slice(lineStart(text, first), first).trim() !== '') return undefined;
    const after = behindLine(text, contentEnd(text, range));
    return { from: after.at, to: after.at, insert: `${after.lead}${' '.repeat(column)}${entryYaml(value, column)}${after.tail}` };
  }
  const dash = dashOf(text, list.items[index]);
  if (dash === undefined || text.slice(lineStart(text, dash), dash).trim() !== '') return undefined;
  const at = withCommentsAbove(text, lineStart(text, dash), column);
  return { from: at, to: at, insert: `${' '.repeat(column)}${entryYaml(value, column)}\n` };
}

/** Removes an entry from a block list that keeps others. */
export function removeEntry(text: string, list: YAMLSeq, index: number): TextEdit | undefined {
  const range = rangeOfNode(list.items[index]);
  const dash = dashOf(text, list.items[index]);
  if (!range || dash === undefined || list.items.length < 2 || !isBlock(text, list)) return undefined;
  return cutLines(text, { column: dash - lineStart(text, dash), from: dash, to: contentEnd(text, range) }, index > 0);
}

/** Replaces an entry of a block list. Comments within it go. */
export function replaceEntry(
  text: string,
  list: YAMLSeq,
  { index, value }: { readonly index: number; readonly value: unknown },
): TextEdit | undefined {
  const range = rangeOfNode(list.items[index]);
  const dash = dashOf(text, list.items[index]);
  if (!range || dash === undefined || !isBlock(text, list)) return undefined;
  return { from: dash, to: contentEnd(text, range), insert: entryYaml(value, dash - lineStart(text, dash)) };
}

/** Renames a key in its place. */
export function renameKey(pair: Pair<unknown, unknown>, key: string): TextEdit | undefined {
  const range = rangeOfNode(pair.key);
  if (!range || !isScalar(pair.key)) return undefined;
  return { ...range, insert: scalarText({ value: key }, pair.key.type === 'PLAIN' ? undefined : pair.key.type) };
}

export function applyTextEdit(text: string, { from, to, insert }: TextEdit): string {
  return text.slice(0, from) + insert + text.slice(to);
}
