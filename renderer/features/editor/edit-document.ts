// Edits of YAML text by path, for forms and canvases: comments, key order, quotes and blank lines of all that is not edited stay. Pure.
import { isObject } from '@svc/shared/json';
import { jsonEquals } from '@svc/shared/json';
import { isAlias, isCollection, isMap, isScalar, isSeq, parseDocument, visit, type Document, type Node, type Scalar } from 'yaml';
import type { PathSegment, YamlPath } from './path-text.ts';
import { toYaml } from './serialise.ts';
import {
  appendPair,
  applyTextEdit,
  fillEmpty,
  insertEntry,
  removeEntry,
  removePair,
  renameKey,
  replacePairValue,
  replaceScalar,
  type TextEdit,
} from './text-edits.ts';
import { duplicateKeys, keyOf, parseYaml, resolved, valueOf, type YamlDocument } from './yaml-paths.ts';

/**
 * `set` makes what is missing on the way; a list or map over an old one changes only what differs in it. `delete` of what is not there
 * does nothing. `rename` gives the key at `path` another name in its place. `insert` puts an entry into the list at `path`, which is
 * made if need be; an index behind the end means last.
 */
export type DocumentEdit =
  | { readonly op: 'set'; readonly path: YamlPath; readonly value: unknown }
  | { readonly op: 'delete'; readonly path: YamlPath }
  | { readonly op: 'rename'; readonly path: YamlPath; readonly key: string }
  | { readonly op: 'insert'; readonly path: YamlPath; readonly index: number; readonly value: unknown };

export interface EditOptions {
  /** Which document of the text, from 0. */
  readonly document?: number;
}

const STEPS_MAX = 100;

/** The value with the edit made; undefined where it cannot be: a key in a text, a name that is taken. The value itself stays as it is. */
export function editValue(value: unknown, edit: DocumentEdit): { readonly value: unknown } | undefined {
  const [segment, ...rest] = edit.path;
  if (segment === undefined || (edit.op === 'rename' && rest.length === 0)) return editHere(value, edit, segment);
  const inner = memberOf(value, segment);
  if (edit.op === 'delete' && rest.length === 0) return { value: without(value, segment) };
  if (edit.op === 'delete' && inner === undefined) return { value };
  const next = editValue(inner, { ...edit, path: rest });
  return next && withMember(value, segment, next.value);
}

function editHere(value: unknown, edit: DocumentEdit, segment: PathSegment | undefined): { readonly value: unknown } | undefined {
  switch (edit.op) {
    case 'set':
      return { value: edit.value };
    case 'delete':
      return { value: null };
    case 'insert': {
      if (value !== undefined && value !== null && !Array.isArray(value)) return undefined;
      const list: unknown[] = Array.isArray(value) ? value : [];
      return { value: list.toSpliced(edit.index, 0, edit.value) };
    }
    case 'rename': {
      const from = String(segment);
      if (!isObject(value) || !Object.hasOwn(value, from)) return undefined;
      if (edit.key !== from && Object.hasOwn(value, edit.key)) return undefined;
      return { value: Object.fromEntries(Object.entries(value).map(([key, each]) => [key === from ? edit.key : key, each])) };
    }
  }
}

function memberOf(value: unknown, segment: PathSegment): unknown {
  if (Array.isArray(value)) return typeof segment === 'number' ? (value as unknown[])[segment] : undefined;
  return isObject(value) && Object.hasOwn(value, String(segment)) ? value[String(segment)] : undefined;
}

function withMember(value: unknown, segment: PathSegment, next: unknown): { readonly value: unknown } | undefined {
  if (typeof segment === 'number' && (Array.isArray(value) || value === undefined || value === null)) {
    const list = [...((value as unknown[] | null | undefined) ?? [])];
    if (segment > list.length) return undefined;
    list[segment] = next;
    return { value: list };
  }
  if (value !== undefined && value !== null && !isObject(value)) return undefined;
  const entries = Object.entries(value ?? {});
  const key = String(segment);
  const there = entries.some(([name]) => name === key);
  return {
    value: Object.fromEntries(there ? entries.map(([name, each]) => [name, name === key ? next : each]) : [...entries, [key, next]]),
  };
}

function without(value: unknown, segment: PathSegment): unknown {
  if (Array.isArray(value)) return (value as unknown[]).filter((_, index) => index !== segment);
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== String(segment))) : value;
}

const under = (path: YamlPath, segment: PathSegment): YamlPath => [...path, segment];

/** The edits of single places that turn one value into another. */
function stepsBetween(before: unknown, after: unknown, path: YamlPath): DocumentEdit[] {
  if (jsonEquals(before, after) && before !== undefined) return [];
  if (isObject(before) && isObject(after)) {
    const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key) || after[key] === undefined);
    const kept = Object.keys(after).filter((key) => after[key] !== undefined);
    return [
      ...kept.flatMap((key) => stepsBetween(memberOf(before, key), after[key], under(path, key))),
      ...gone.map((key): DocumentEdit => ({ op: 'delete', path: under(path, key) })),
    ];
  }
  if (Array.isArray(before) && Array.isArray(after)) return listSteps(before, after, path);
  return [{ op: 'set', path, value: after }];
}

function listSteps(before: readonly unknown[], after: readonly unknown[], path: YamlPath): DocumentEdit[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && jsonEquals(before[start], after[start])) start += 1;
  let end = 0;
  while (end < most - start && jsonEquals(before[before.length - 1 - end], after[after.length - 1 - end])) end += 1;
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const both = Math.min(old.length, fresh.length);
  return [
    ...fresh.slice(0, both).flatMap((value, at) => stepsBetween(old[at], value, under(path, start + at))),
    // From behind, so that each index still means what it says.
    ...old.slice(both).map((_, at): DocumentEdit => ({ op: 'delete', path: under(path, start + old.length - 1 - at) })),
    ...fresh.slice(both).map((value, at): DocumentEdit => ({ op: 'insert', path, index: start + both + at, value })),
  ];
}

/** The value as it is when the missing steps to it are made around it. */
function wrapped(path: YamlPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, segment) => (typeof segment === 'number' ? [inner] : { [segment]: inner }), value);
}

function pairIn(node: unknown, segment: PathSegment) {
  return isMap(node) ? node.items.find((pair) => keyOf(pair) === String(segment)) : undefined;
}

/** The deepest node of a path that is there, and the rest of the path. Aliases are not entered. */
function deepest(document: Document, path: YamlPath): { readonly node: unknown; readonly depth: number } {
  let node: unknown = document.contents;
  for (const [depth, segment] of path.entries()) {
    const next: unknown = isSeq(node) && typeof segment === 'number' ? node.items[segment] : pairIn(node, segment)?.value;
    const there = isSeq(node) ? typeof segment === 'number' && segment < node.items.length : pairIn(node, segment) !== undefined;
    if (!there) return { node, depth };
    node = next;
  }
  return { node, depth: path.length };
}

function textSet(
  text: string,
  document: Document,
  { path, value }: { readonly path: YamlPath; readonly value: unknown },
): TextEdit | undefined {
  const { node, depth } = deepest(document, path);
  const last = path[depth - 1];
  const parent = depth === 0 ? undefined : deepest(document, path.slice(0, depth - 1)).node;
  const pair = last === undefined ? undefined : pairIn(parent, last);
  if (depth === path.length) {
    return replaceScalar(text, node, value) ?? (pair && (fillEmpty(text, pair, value) ?? replacePairValue(text, pair, value)));
  }
  const rest = path.slice(depth + 1);
  const segment = path[depth];
  if (segment === undefined) return undefined;
  if (isMap(node) && node.items.length > 0) return appendPair(text, node, { key: String(segment), value: wrapped(rest, value) });
  if (isSeq(node) && typeof segment === 'number' && node.items.length > 0)
    return insertEntry(text, node, { index: segment, value: wrapped(rest, value) });
  return pair && fillEmpty(text, pair, wrapped(path.slice(depth), value));
}

function textDelete(text: string, document: Document, path: YamlPath): TextEdit | undefined {
  const parent = deepest(document, path.slice(0, -1)).node;
  const segment = path.at(-1);
  if (segment === undefined) return undefined;
  if (isSeq(parent) && typeof segment === 'number') return removeEntry(text, parent, segment);
  const pair = pairIn(parent, segment);
  return isMap(parent) && pair ? removePair(text, parent, pair) : undefined;
}

function textEdit(text: string, document: Document, edit: DocumentEdit): TextEdit | undefined {
  switch (edit.op) {
    case 'set':
      return textSet(text, document, edit);
    case 'delete':
      return textDelete(text, document, edit.path);
    case 'rename': {
      const segment = edit.path.at(-1);
      const pair = segment === undefined ? undefined : pairIn(deepest(document, edit.path.slice(0, -1)).node, segment);
      return pair && renameKey(pair, edit.key);
    }
    case 'insert': {
      const { node, depth } = deepest(document, edit.path);
      if (depth < edit.path.length || !isSeq(node) || node.items.length === 0)
        return textSet(text, document, { path: edit.path, value: [edit.value] });
      return insertEntry(text, node, edit);
    }
  }
}

/** A copy of what an alias stands for, in its place, so that an edit of one does not change the other. */
function copyOf(alias: unknown, document: Document): Node | undefined {
  const source = resolved(alias, document) as Node | undefined;
  const copy = source?.clone() as (Node & { anchor?: string }) | undefined;
  if (!copy) return undefined;
  visit(copy, { Node: (_, node) => void delete (node as { anchor?: string }).anchor });
  return copy;
}

function detachAliases(document: Document, path: YamlPath): void {
  for (let depth = 1; depth <= path.length; depth += 1) {
    const at = path.slice(0, depth);
    const node = document.getIn(at, true);
    const copy = isAlias(node) ? copyOf(node, document) : undefined;
    if (copy) document.setIn(at, copy);
  }
}

/** Before a node goes: what refers to anchors in it becomes copies. */
function keepReferred(document: Document, path: YamlPath): void {
  const node = document.getIn(path, true) as Node | undefined;
  const anchors = new Set<string>();
  if (!node) return;
  visit(node, {
    Node: (_, each) =>
      void ((each as { anchor?: string }).anchor !== undefined && anchors.add(String((each as { anchor?: string }).anchor))),
  });
  if (anchors.size > 0) visit(document, { Alias: (_, alias) => (anchors.has(alias.source) ? copyOf(alias, document) : undefined) });
}

function setNode(document: Document, path: YamlPath, value: unknown): void {
  const node = document.getIn(path, true);
  if (isScalar(node) && (typeof value !== 'object' || value === null)) {
    const scalar = node as Scalar & { format?: string; minFractionDigits?: number; source?: string };
    delete scalar.format;
    delete scalar.minFractionDigits;
    delete scalar.source;
    if (typeof value !== 'string' || typeof scalar.value !== 'string') delete scalar.type;
    scalar.value = value;
    return;
  }
  if (path.length === 0 || !isCollection(document.contents)) {
    document.contents = document.createNode(wrapped(path, value));
    return;
  }
  const { node: parent, depth } = deepest(document, path);
  // An empty value on the way is no collection that a key could go into.
  if (depth > 0 && depth < path.length && !isCollection(parent))
    document.setIn(path.slice(0, depth), document.createNode(wrapped(path.slice(depth), value)));
  else document.setIn(path, document.createNode(value));
}

/** Makes the edit in a document of the library's. Comments and order stay; layout may not. */
export function editDocument(document: Document, edit: DocumentEdit): void {
  const { path } = edit;
  const held = edit.op === 'delete' || edit.op === 'rename' ? path.slice(0, -1) : path;
  detachAliases(document, held);
  if (edit.op === 'delete') {
    keepReferred(document, path);
    document.deleteIn(path);
  } else if (edit.op === 'rename') {
    const pair = pairIn(path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true), path.at(-1) ?? '');
    if (pair)
      pair.key = isScalar(pair.key) ? Object.assign(pair.key, { value: edit.key, source: undefined }) : document.createNode(edit.key);
  } else if (edit.op === 'insert') {
    const list = document.getIn(path, true);
    if (isSeq(list)) list.items.splice(edit.index, 0, document.createNode(edit.value));
    else setNode(document, path, [edit.value]);
  } else {
    keepReferred(document, path);
    setNode(document, path, edit.value);
  }
}

function sound(text: string, at: number, expected: unknown): boolean {
  const document = parseYaml(text)[at];
  const read = document && duplicateKeys(document).length === 0 ? valueOf(document) : undefined;
  return read !== undefined && jsonEquals(read.value, expected);
}

/** The document's own text written anew by the library. */
function rewritten(text: string, at: YamlDocument, edits: readonly DocumentEdit[]): string {
  const document = parseDocument(text.slice(at.from, at.to), { uniqueKeys: false, version: '1.2' });
  for (const edit of edits) editDocument(document, edit);
  const list = /(^|\n)( *)[^\s#-][^\n]*:[^\S\n]*\n\2- /.test(text);
  const written = document.toString({ lineWidth: 0, indentSeq: !list, flowCollectionPadding: /\{ /.test(text) || !/\{\S/.test(text) });
  return text.slice(0, at.from) + written + text.slice(at.to);
}

function editOnce(text: string, edit: DocumentEdit, at: number): string | undefined {
  const document = parseYaml(text)[at];
  if (!document) return at === 0 ? firstText(text, edit) : undefined;
  const read = valueOf(document);
  const expected = read && editValue(read.value ?? undefined, edit);
  if (!expected) return undefined;
  if (jsonEquals(read.value, expected.value) && edit.op !== 'rename') return text;
  const steps = edit.op === 'set' ? stepsBetween(memberAt(read.value, edit.path), edit.value, edit.path) : [edit];
  const byText = steps.length <= STEPS_MAX ? editByText(text, steps, at) : undefined;
  if (byText !== undefined && sound(byText, at, expected.value)) return byText;
  const written = rewritten(text, document, steps);
  if (sound(written, at, expected.value)) return written;
  // Comments of this document are lost only where nothing else gives the right value.
  const plain = text.slice(0, document.from) + toYaml(expected.value) + text.slice(document.to);
  return sound(plain, at, expected.value) ? plain : undefined;
}

function memberAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>((at, segment) => memberOf(at, segment), value ?? undefined);
}

/** Each step on the text that the one before left; undefined as soon as one does not work out. */
function editByText(text: string, steps: readonly DocumentEdit[], at: number): string | undefined {
  let now = text;
  for (const step of steps) {
    const document = parseYaml(now)[at];
    const read = document && valueOf(document);
    const expected = read && editValue(read.value ?? undefined, step);
    const edit = expected && textEdit(now, document.document, step);
    if (!edit) return undefined;
    now = applyTextEdit(now, edit);
    if (!sound(now, at, expected.value)) return undefined;
  }
  return now;
}

/** A text without a document: its comments stay above. */
function firstText(text: string, edit: DocumentEdit): string | undefined {
  const made = editValue(undefined, edit);
  if (!made || edit.op === 'delete') return edit.op === 'delete' ? text : undefined;
  const above = text.trim() === '' ? '' : text.endsWith('\n') ? text : `${text}\n`;
  return above + toYaml(made.value);
}

/**
 * The text with the edits made, one after the other. Undefined when that cannot be done: the text has syntax errors, there is no such
 * document, a step of a path is a plain value, or a key's new name is taken.
 */
export function editYaml(text: string, edits: readonly DocumentEdit[], options: EditOptions = {}): string | undefined {
  let now: string | undefined = text;
  for (const edit of edits) now = now === undefined ? undefined : editOnce(now, edit, options.document ?? 0);
  return now;
}
