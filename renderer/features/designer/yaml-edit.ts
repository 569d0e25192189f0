// Edits of YAML text that touch only the lines they are about: comments, quotes, order and unknown content stay as they are. Pure.
// Each edit is checked by reading the result again; where the text is too unusual for a cut, the document is written anew, comments kept.
import { canonicalJson } from '@svc/shared/json';
import { isMap, isScalar, isSeq, parseDocument, stringify, type Document, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { bottomlessDocument } from '../editor/yaml-depth.ts';

export type Path = readonly (string | number)[];

export type Edit =
  /** Sets the value, adding the key and the maps above it where they are missing. */
  | { readonly op: 'set'; readonly path: Path; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: Path }
  /** Puts a value into a list; past the end appends. The list is made where it is missing. */
  | { readonly op: 'insert'; readonly path: Path; readonly index: number; readonly value: unknown };

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

const PARSE = { version: '1.2', uniqueKeys: false, prettyErrors: false } as const;

/** The first document of a text. */
export function parseText(text: string): Document.Parsed {
  return bottomlessDocument(text) ?? parseDocument(text, PARSE);
}

type Ranged = Node & { readonly range: [number, number, number] };
type AnyPair = Pair<unknown, unknown>;

const ranged = (node: unknown): Ranged | undefined => ((node as Node | null)?.range ? (node as Ranged) : undefined);
const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1;
const column = (text: string, at: number) => at - lineStart(text, at);

function pairOf(map: YAMLMap, key: string | number): AnyPair | undefined {
  return (map.items as AnyPair[]).find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
}

const isEmptyNode = (node: unknown) =>
  node == null || (isScalar(node) && node.value === null && ranged(node)?.range[0] === ranged(node)?.range[1]);

/** Where the pair ends with its comment: the start of a later line, or the end of the text. */
function endOfPair(pair: AnyPair): number {
  return ranged(pair.value)?.range[2] ?? ranged(pair.key)?.range[2] ?? 0;
}

/** A value as it stands after `key:` or `- ` in a block at this indentation. */
function blockValue(value: unknown, indent: number, after: 'key' | 'dash'): string {
  const written = stringify(value, { lineWidth: 0 }).trimEnd();
  const nested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  const step = after === 'dash' || nested ? 2 : 0;
  const lines = written.split('\n').map((line) => (line === '' ? line : ' '.repeat(indent + step) + line));
  if (nested && after === 'key') return `\n${lines.join('\n')}`;
  return ` ${[lines[0]?.trimStart() ?? '', ...lines.slice(1)].join('\n')}`;
}

const flowValue = (value: unknown) => stringify(value, { lineWidth: 0, collectionStyle: 'flow' }).trimEnd();
const keyText = (key: string) => stringify(key, { lineWidth: 0 }).trimEnd();

/** Puts whole lines behind what ends at `at`. */
function linesAfter(text: string, at: number, lines: string): Cut {
  const whole = at > 0 && text[at - 1] === '\n';
  return { from: at, to: at, insert: whole ? `${lines}\n` : `\n${lines}` };
}

function addToMap(text: string, map: YAMLMap, [key, value]: readonly [string, unknown]): Cut | undefined {
  const last = map.items.at(-1) as AnyPair | undefined;
  const first = ranged((map.items[0] as AnyPair | undefined)?.key);
  if (map.flow) {
    const end = ranged(last?.value)?.range[1] ?? ranged(last?.key)?.range[1];
    if (end === undefined) return undefined;
    return { from: end, to: end, insert: `, ${keyText(key)}: ${flowValue(value)}` };
  }
  if (!last || !first) return undefined;
  const indent = column(text, first.range[0]);
  return linesAfter(text, endOfPair(last), `${' '.repeat(indent)}${keyText(key)}:${blockValue(value, indent, 'key')}`);
}

/** `key: {}`, `key: []` or `key:` gets a first value, written as a block below it. */
function fillPair(text: string, pair: AnyPair, value: unknown): Cut | undefined {
  const key = ranged(pair.key);
  const old = ranged(pair.value);
  if (!key) return undefined;
  const lineEnd = text.indexOf('\n', key.range[1]);
  const colon = text.indexOf(':', key.range[1]);
  const to = isEmptyNode(pair.value) ? colon + 1 : (old?.range[1] ?? colon + 1);
  if (colon < 0 || (lineEnd >= 0 && (colon > lineEnd || to > lineEnd))) return undefined;
  const comment = text.slice(to, lineEnd < 0 ? text.length : lineEnd).trim();
  const written = blockValue(value, column(text, key.range[0]), 'key');
  // A comment behind the colon stays on its line.
  if (comment !== '' && written.startsWith('\n')) {
    const end = lineEnd < 0 ? text.length : lineEnd;
    return { from: colon + 1, to: end, insert: ` ${comment}${written}` };
  }
  return { from: colon + 1, to, insert: written };
}

function replaceValue(text: string, pair: AnyPair, options: { readonly value: unknown; readonly flow: boolean }): Cut | undefined {
  const old = ranged(pair.value);
  const { value, flow } = options;
  if (flow && old) return { from: old.range[0], to: old.range[1], insert: flowValue(value) };
  const collection = isMap(pair.value) || isSeq(pair.value);
  const empty = isEmptyNode(pair.value) || (collection && (pair.value as YAMLMap).items.length === 0);
  if (empty) return fillPair(text, pair, value);
  const nested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!old || collection || nested || text.slice(old.range[0], old.range[1]).includes('\n')) return undefined;
  return { from: old.range[0], to: old.range[1], insert: blockValue(value, 0, 'key').trimStart() };
}

function setCut(text: string, document: Document.Parsed, { path, value }: Extract<Edit, { op: 'set' }>): Cut | undefined {
  let depth = path.length - 1;
  while (depth > 0 && isEmptyNode(document.getIn(path.slice(0, depth), true))) depth -= 1;
  const missing = path.slice(depth + 1);
  const nested = missing.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const holder: unknown = document.getIn(path.slice(0, depth), true) ?? document.contents;
  const key = path[depth];
  if (key === undefined || typeof key === 'number') return undefined;
  if (!isMap(holder)) return undefined;
  const pair = pairOf(holder, key);
  if (pair) return replaceValue(text, pair, { value: nested, flow: holder.flow === true });
  if (holder.items.length > 0) return addToMap(text, holder, [key, nested]);
  return emptyHolder(text, document, { path: path.slice(0, depth), value: { [key]: nested } });
}

/** The holder is `{}` or `[]`: filled where it hangs on its key. */
function emptyHolder(
  text: string,
  document: Document.Parsed,
  { path, value }: { readonly path: Path; readonly value: unknown },
): Cut | undefined {
  const above: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const key = path.at(-1);
  if (key === undefined || !isMap(above)) return undefined;
  const pair = pairOf(above, key);
  return pair && replaceValue(text, pair, { value, flow: above.flow === true });
}

function insertCut(text: string, document: Document.Parsed, edit: Extract<Edit, { op: 'insert' }>): Cut | undefined {
  const { path, index, value } = edit;
  const seq: unknown = document.getIn(path, true);
  if (isEmptyNode(seq)) return setCut(text, document, { op: 'set', path, value: [value] });
  if (!isSeq(seq)) return undefined;
  if (seq.items.length === 0) return emptyHolder(text, document, { path, value: [value] });
  const items = seq.items.map(ranged);
  const before = items[index];
  if (seq.flow) {
    const last = items.at(-1);
    if (before) return { from: before.range[0], to: before.range[0], insert: `${flowValue(value)}, ` };
    return last && { from: last.range[1], to: last.range[1], insert: `, ${flowValue(value)}` };
  }
  const dash = ranged(seq)?.range[0];
  const last = items.at(-1);
  if (dash === undefined || !last) return undefined;
  const indent = column(text, dash);
  const line = `${' '.repeat(indent)}-${blockValue(value, indent, 'dash')}`;
  if (!before) return linesAfter(text, last.range[2], line);
  const at = lineStart(text, before.range[0]);
  return { from: at, to: at, insert: `${line}\n` };
}

/** Whole lines, from the key or dash to the end of the value with its comment. */
function lineCut(text: string, from: number, to: number): Cut | undefined {
  const start = lineStart(text, from);
  if (!/^[\s-]*$/.test(text.slice(start, from)) || text.slice(start, from).includes('- -')) return undefined;
  const whole = to >= text.length || text[to - 1] === '\n';
  return whole ? { from: to >= text.length && text[to - 1] !== '\n' && start > 0 ? start - 1 : start, to, insert: '' } : undefined;
}

/** An entry of a flow collection with the comma that goes with it. */
function flowCut(ends: readonly { readonly from: number; readonly to: number }[], index: number): Cut | undefined {
  const [at, next, before] = [ends[index], ends[index + 1], ends[index - 1]];
  if (!at) return undefined;
  if (next) return { from: at.from, to: next.from, insert: '' };
  return before && { from: before.to, to: at.to, insert: '' };
}

function removeFromMap(text: string, map: YAMLMap, key: string | number): Cut | undefined {
  const pairs = map.items as AnyPair[];
  const pair = pairOf(map, key);
  if (!pair || pairs.length < 2) return undefined;
  const index = pairs.indexOf(pair);
  const start = ranged(pair.key)?.range[0];
  if (start === undefined) return undefined;
  if (map.flow) {
    const ends = pairs.map((each) => ({
      from: ranged(each.key)?.range[0] ?? 0,
      to: ranged(each.value)?.range[1] ?? ranged(each.key)?.range[1] ?? 0,
    }));
    return flowCut(ends, index);
  }
  const dashed = text.slice(lineStart(text, start), start).includes('-');
  const next = ranged(pairs[index + 1]?.key)?.range[0];
  if (dashed) return next === undefined ? undefined : { from: start, to: next, insert: '' };
  return lineCut(text, start, endOfPair(pair));
}

function removeFromSeq(text: string, seq: YAMLSeq, index: number): Cut | undefined {
  const items = seq.items.map(ranged);
  const item = items[index];
  if (!item || items.length < 2) return undefined;
  if (seq.flow) {
    return flowCut(
      items.map((each) => ({ from: each?.range[0] ?? 0, to: each?.range[1] ?? 0 })),
      index,
    );
  }
  return lineCut(text, item.range[0], item.range[2]);
}

/** The last entry leaves an empty collection behind, on the line of its key. */
function emptied(text: string, document: Document.Parsed, path: Path): Cut | undefined {
  const above: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(above) ? pairOf(above, path.at(-1) ?? '') : undefined;
  const node = ranged(pair?.value);
  const key = ranged(pair?.key);
  if (!node || !key) return undefined;
  const written = isMap(node) ? '{}' : '[]';
  if ((node as unknown as YAMLMap).flow) return { from: node.range[0], to: node.range[1], insert: written };
  const colon = text.indexOf(':', key.range[1]);
  const lineEnd = text.indexOf('\n', colon);
  const comment = text.slice(colon + 1, lineEnd).trimEnd();
  return { from: colon + 1, to: node.range[2], insert: ` ${written}${comment}\n` };
}

function removeCut(text: string, document: Document.Parsed, path: Path): Cut | undefined {
  const holder: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const key = path.at(-1);
  if (key === undefined) return undefined;
  if ((isMap(holder) || isSeq(holder)) && holder.items.length === 1) return emptied(text, document, path.slice(0, -1));
  if (isMap(holder)) return removeFromMap(text, holder, key);
  return isSeq(holder) && typeof key === 'number' ? removeFromSeq(text, holder, key) : undefined;
}

function cutOf(text: string, document: Document.Parsed, edit: Edit): Cut | undefined {
  switch (edit.op) {
    case 'set':
      return setCut(text, document, edit);
    case 'remove':
      return removeCut(text, document, edit.path);
    case 'insert':
      return insertCut(text, document, edit);
  }
}

/** What the document must say afterwards: made by the library, on its own copy. */
function changed(text: string, edit: Edit): Document.Parsed {
  const document = parseText(text);
  // The library does not write below what is there and empty.
  for (let depth = 1; depth < edit.path.length && edit.op !== 'remove'; depth += 1) {
    const above = edit.path.slice(0, depth);
    if (isEmptyNode(document.getIn(above, true))) document.setIn(above, document.createNode({}));
  }
  if (edit.op === 'remove') document.deleteIn(edit.path);
  else if (edit.op === 'set') document.setIn(edit.path, document.createNode(edit.value));
  else {
    const seq: unknown = document.getIn(edit.path, true);
    if (isSeq(seq)) seq.items.splice(edit.index, 0, document.createNode(edit.value));
    else document.setIn(edit.path, document.createNode([edit.value]));
  }
  return document;
}

const valueOf = (document: Document.Parsed) => canonicalJson(document.toJS());

/** The text after the edit. Text with syntax errors stays as it is: nobody knows what it says. */
export function editYaml(text: string, edit: Edit): string {
  const document = parseText(text);
  if (document.errors.length > 0 || (edit.op === 'remove' && !document.hasIn(edit.path))) return text;
  const wanted = changed(text, edit);
  const cut = cutOf(text, document, edit);
  if (cut) {
    const result = text.slice(0, cut.from) + cut.insert + text.slice(cut.to);
    const read = parseText(result);
    if (read.errors.length === 0 && valueOf(read) === valueOf(wanted)) return result;
  }
  return wanted.toString({ lineWidth: 0 });
}

export function editAll(text: string, edits: readonly Edit[]): string {
  return edits.reduce(editYaml, text);
}
