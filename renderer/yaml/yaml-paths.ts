// Paths such as `spec.edges[0].to` in YAML text: from a path to its place and back. Pure; independent of editor and kind.
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments, visit, type Document, type Node, type Pair } from 'yaml';
import type { PathSegment } from '@svc/shared/path-text';
import type { YamlPath } from './path-text.ts';
import { bottomlessDocument } from './yaml-depth.ts';

/** Offsets into the whole text, `to` excluded. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** One document of a text, with its start and end. */
export interface YamlDocument extends TextRange {
  readonly index: number;
  readonly document: Document.Parsed;
}

/** Ranges of a path. */
export interface PathRange {
  /** The key's text; absent for list entries and for the document itself. */
  readonly key: TextRange | undefined;
  /** The value's text, empty where there is none. */
  readonly value: TextRange;
  /** The existing part of the path: all of it, or its nearest ancestor. */
  readonly found: YamlPath;
}

/** Node at an offset. */
export interface PathAtOffset {
  readonly path: YamlPath;
  readonly on: 'key' | 'value';
  readonly range: TextRange;
}

const RECENT_MAX = 4;
const RECENT_LENGTH_MAX = 1_000_000;
let recent: readonly { readonly text: string; readonly documents: readonly YamlDocument[] }[] = [];

/**
 * Documents of a text. Never throws: problems of a document are in `document.errors`. Duplicate keys are not an error here (the library's check
 * compares all pairs); `duplicateKeys` finds them. Repeated calls with the last text, as by commands, checks and views of one text, return
 * the same documents: they must not be changed.
 */
export function parseYaml(text: string): readonly YamlDocument[] {
  const known = recent.find((each) => each.text === text);
  const documents = known?.documents ?? parseDocuments(text);
  if (text.length <= RECENT_LENGTH_MAX)
    recent = [{ text, documents }, ...recent.filter((each) => each.documents !== documents)].slice(0, RECENT_MAX);
  return documents;
}

function parseDocuments(text: string): readonly YamlDocument[] {
  const bottomless = bottomlessDocument(text);
  if (bottomless) return [{ index: 0, document: bottomless, from: 0, to: text.length }];
  const parsed = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, version: '1.2' });
  const documents = Array.isArray(parsed) ? [...(parsed as Document.Parsed[])] : [];
  return documents.map((document, index) => ({
    index,
    document,
    from: index === 0 ? 0 : document.range[0],
    to: documents[index + 1]?.range[0] ?? text.length,
  }));
}

/** The document at an offset; at a border the one that begins there. */
export function documentAt(documents: readonly YamlDocument[], offset: number): YamlDocument | undefined {
  return documents.findLast((each) => each.from <= offset) ?? documents[0];
}

export function keyOf(pair: Pair<unknown, unknown>): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** Resolves an alias. */
export function resolved(node: unknown, document: Document): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

export function rangeOfNode(node: unknown): TextRange | undefined {
  const range = (node as Node | null | undefined)?.range;
  return range ? { from: range[0], to: range[1] } : undefined;
}

interface Step {
  readonly key: TextRange | undefined;
  readonly value: unknown;
  /** Position of a missing value. */
  readonly fallback: TextRange;
}

function stepInto(node: unknown, segment: PathSegment): Step | undefined {
  if (isMap(node)) {
    const pair = node.items.findLast((each) => keyOf(each) === String(segment));
    const key = pair && rangeOfNode(pair.key);
    return pair && key && { key, value: pair.value, fallback: { from: key.to, to: key.to } };
  }
  if (!isSeq(node) || typeof segment !== 'number' || segment >= node.items.length) return undefined;
  const value = node.items[segment];
  const range = rangeOfNode(value) ?? rangeOfNode(node);
  return range && { key: undefined, value, fallback: { from: range.from, to: range.from } };
}

/** Range of the path, or of its nearest ancestor. Under an alias every path has the range of the alias. */
export function rangeOfPath({ document, from, to }: YamlDocument, path: YamlPath): PathRange {
  let node: unknown = document.contents;
  let at: PathRange = { key: undefined, value: rangeOfNode(node) ?? { from, to }, found: [] };
  for (const [depth, segment] of path.entries()) {
    const within = isAlias(node);
    const step = stepInto(resolved(node, document), segment);
    if (!step) return at;
    const found = path.slice(0, depth + 1);
    at = within ? { ...at, found } : { key: step.key, value: rangeOfNode(step.value) ?? step.fallback, found };
    node = step.value;
    if (within && isAlias(node)) node = resolved(node, document);
  }
  return at;
}

/** Range to mark for a problem at a path: a plain value itself, the key of a list or map, the parent's key of a missing value. */
export function markOfPath(document: YamlDocument, path: YamlPath): TextRange {
  const at = rangeOfPath(document, path);
  const missing = at.found.length < path.length;
  const node = document.document.getIn(at.found, true);
  const collection = isMap(node) || isSeq(node);
  if (at.key && (missing || collection || at.value.from === at.value.to)) return at.key;
  if (!collection) return at.value;
  // A list entry or the whole document: its first line is enough.
  const first: unknown = isMap(node) ? node.items[0]?.key : node.items[0];
  return rangeOfNode(first) ?? at.value;
}

export function pairIn(node: unknown, segment: PathSegment) {
  return isMap(node) ? node.items.find((pair) => keyOf(pair) === String(segment)) : undefined;
}

/** The deepest existing node of a path, and the rest of the path. Aliases are not entered. */
export function nodeOfPath(document: Document, path: YamlPath): { readonly node: unknown; readonly depth: number } {
  let node: unknown = document.contents;
  for (const [depth, segment] of path.entries()) {
    const next: unknown = isSeq(node) && typeof segment === 'number' ? node.items[segment] : pairIn(node, segment)?.value;
    const there = isSeq(node) ? typeof segment === 'number' && segment < node.items.length : pairIn(node, segment) !== undefined;
    if (!there) return { node, depth };
    node = next;
  }
  return { node, depth: path.length };
}

function inside(range: TextRange | undefined, offset: number): boolean {
  return range !== undefined && offset >= range.from && offset <= range.to;
}

function pairAt(pair: Pair<unknown, unknown>, path: YamlPath, offset: number): PathAtOffset | undefined {
  const key = rangeOfNode(pair.key);
  const here = [...path, keyOf(pair)];
  if (key && inside(key, offset)) return { path: here, on: 'key', range: key };
  return nodeAt(pair.value, here, offset);
}

function nodeAt(node: unknown, path: YamlPath, offset: number): PathAtOffset | undefined {
  const range = rangeOfNode(node);
  if (!range || !inside(range, offset)) return undefined;
  const here: PathAtOffset = { path, on: 'value', range };
  if (isMap(node)) return firstOf(node.items, (pair) => pairAt(pair, path, offset)) ?? here;
  if (isSeq(node)) return firstOf(node.items, (item, index) => nodeAt(item, [...path, index], offset)) ?? here;
  return here;
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item, index: number) => Found | undefined): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The innermost key or value at an offset; undefined between things. */
export function pathAtOffset({ document }: YamlDocument, offset: number): PathAtOffset | undefined {
  return nodeAt(document.contents, [], offset);
}

/** Duplicate keys in one map, each at its later place. */
export function duplicateKeys({ document }: YamlDocument): readonly { readonly key: string; readonly range: TextRange }[] {
  const found: { key: string; range: TextRange }[] = [];
  const visit = (node: unknown): void => {
    if (isSeq(node)) for (const item of node.items) visit(item);
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const pair of node.items) {
      const key = keyOf(pair);
      const range = rangeOfNode(pair.key);
      if (seen.has(key) && range) found.push({ key, range });
      seen.add(key);
      visit(pair.value);
    }
  };
  visit(document.contents);
  return found;
}

const values = new WeakMap<Document, { readonly value: unknown } | undefined>();

/** Such a value has no end: it cannot be sent, and no form can draw it. */
function containsItself(document: Document): boolean {
  let found = false;
  const anchored = new Map<string, Node>();
  visit(document, {
    Node(_, node, path) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchored.set(node.anchor, node);
        return undefined;
      }
      const target = anchored.get(node.source);
      found = target !== undefined && path.includes(target);
      return found ? visit.BREAK : undefined;
    },
  });
  return found;
}

/**
 * The document as plain values, or undefined where it cannot be read: syntax errors, or aliases that contain themselves or expand too far.
 * Parsed once.
 */
export function valueOf({ document }: YamlDocument): { readonly value: unknown } | undefined {
  if (!values.has(document)) values.set(document, readValue(document));
  return values.get(document);
}

function readValue(document: Document): { readonly value: unknown } | undefined {
  if (document.errors.length > 0 || containsItself(document)) return undefined;
  try {
    return { value: document.toJS() as unknown };
  } catch {
    return undefined;
  }
}

/**
 * The value of a text with one document, or none yet. Undefined where it is ambiguous: as above, with duplicate keys, or with several
 * documents.
 */
export function onlyValueOf(text: string): { readonly value: unknown } | undefined {
  const [first, second] = parseYaml(text);
  if (!first) return { value: {} };
  return second || duplicateKeys(first).length > 0 ? undefined : valueOf(first);
}
