// Edits of YAML text by path, for forms and canvases: comments, key order, quotes and blank lines of unedited parts stay. Pure. Every
// result is parsed and compared with the expected value; where local changes do not give it, the text is rewritten.
import { jsonEquals } from '@svc/shared/json';
import { isMap, isSeq, type Document } from 'yaml';
import { aliasesInTheWay } from './aliases.ts';
import { editValue, memberAt, stepsBetween, wrapped, type DocumentEdit } from './edit-value.ts';
import { addFlowEntry, addFlowPair, removeFlowMember, replaceFlowValue } from './flow-edits.ts';
import type { YamlPath } from './path-text.ts';
import { rewritten } from './rewrite-document.ts';
import { toYaml } from './serialise.ts';
import {
  appendPair,
  applyTextEdit,
  emptyBlock,
  fillEmpty,
  insertEntry,
  removeEntry,
  removePair,
  renameKey,
  replaceEntry,
  replacePairValue,
  replaceScalar,
  type TextEdit,
} from './text-edits.ts';
import { duplicateKeys, nodeOfPath, pairIn, parseYaml, valueOf, type YamlDocument } from './yaml-paths.ts';

export interface EditOptions {
  /** Index of the document in the text, from 0. */
  readonly document?: number;
}

const STEPS_MAX = 100;

/** Replaces an existing value. */
function textReplace(text: string, document: Document, { path, value }: { readonly path: YamlPath; readonly value: unknown }) {
  const { node } = nodeOfPath(document, path);
  const segment = path.at(-1);
  if (segment === undefined) return undefined;
  const holder = nodeOfPath(document, path.slice(0, -1)).node;
  const pair = pairIn(holder, segment);
  if ((isMap(holder) || isSeq(holder)) && holder.flow) return replaceFlowValue(text, holder, { pair, node, value });
  const scalar = replaceScalar(text, node, { value });
  if (scalar) return scalar;
  if (pair) return fillEmpty(text, pair, value) ?? replacePairValue(text, pair, value);
  return isSeq(holder) && typeof segment === 'number' ? replaceEntry(text, holder, { index: segment, value }) : undefined;
}

function textSet(
  text: string,
  document: Document,
  { path, value }: { readonly path: YamlPath; readonly value: unknown },
): TextEdit | undefined {
  const { node, depth } = nodeOfPath(document, path);
  const segment = path[depth];
  if (segment === undefined) return textReplace(text, document, { path, value });
  const made = wrapped(path.slice(depth + 1), value);
  if (isMap(node) && node.items.length > 0) {
    const entry = { key: String(segment), value: made };
    return node.flow ? addFlowPair(text, node, entry) : appendPair(text, node, entry);
  }
  if (isSeq(node) && node.items.length > 0)
    return typeof segment === 'number'
      ? textInsert(text, document, { path: path.slice(0, depth), index: segment, value: made })
      : undefined;
  // The parents on the path are empty.
  return textReplace(text, document, { path: path.slice(0, depth), value: wrapped(path.slice(depth), value) });
}

function textInsert(
  text: string,
  document: Document,
  { path, index, value }: { readonly path: YamlPath; readonly index: number; readonly value: unknown },
): TextEdit | undefined {
  const { node, depth } = nodeOfPath(document, path);
  if (depth < path.length || !isSeq(node) || node.items.length === 0) return textSet(text, document, { path, value: [value] });
  return node.flow ? addFlowEntry(text, node, { index, value }) : insertEntry(text, node, { index, value });
}

function textDelete(text: string, document: Document, path: YamlPath): TextEdit | undefined {
  const above = path.slice(0, -1);
  const holder = nodeOfPath(document, above).node;
  const segment = path.at(-1);
  if (segment === undefined || !(isMap(holder) || isSeq(holder))) return undefined;
  const pair = pairIn(holder, segment);
  if (holder.flow) return removeFlowMember(text, holder, pair ?? segment);
  if (holder.items.length === 1) {
    const name = above.at(-1);
    return emptyBlock(text, holder, name === undefined ? undefined : pairIn(nodeOfPath(document, above.slice(0, -1)).node, name));
  }
  if (isSeq(holder)) return typeof segment === 'number' ? removeEntry(text, holder, segment) : undefined;
  return pair && removePair(text, holder, pair);
}

function textEdit(text: string, document: Document, edit: DocumentEdit): TextEdit | undefined {
  switch (edit.op) {
    case 'set':
      return textSet(text, document, edit);
    case 'delete':
      return textDelete(text, document, edit.path);
    case 'insert':
      return textInsert(text, document, edit);
    case 'rename': {
      const segment = edit.path.at(-1);
      const pair = segment === undefined ? undefined : pairIn(nodeOfPath(document, edit.path.slice(0, -1)).node, segment);
      return pair && renameKey(pair, edit.key);
    }
  }
}

/** Value of one document of a text; undefined if it is ambiguous: syntax errors or duplicate keys. */
function readAt(text: string, at: number): { readonly document: YamlDocument; readonly value: unknown } | undefined {
  const document = parseYaml(text)[at];
  const read = document && duplicateKeys(document).length === 0 ? valueOf(document) : undefined;
  return document && read && { document, value: read.value ?? undefined };
}

function says(text: string, at: number, expected: unknown): boolean {
  const read = readAt(text, at);
  return read !== undefined && jsonEquals(read.value ?? null, expected ?? null);
}

/** Applies all steps to the text at once, if their ranges do not overlap, and parses the result once. */
function editAtOnce(text: string, steps: readonly DocumentEdit[], { document, expected }: Goal): string | undefined {
  const edits: TextEdit[] = [];
  for (const step of steps) {
    const edit = textEdit(text, document.document, step);
    if (!edit) return undefined;
    edits.push(edit);
  }
  edits.sort((one, other) => other.from - one.from);
  if (edits.some(({ from, to }, index) => index > 0 && (from === edits[index - 1]?.from || to > (edits[index - 1]?.from ?? 0))))
    return undefined;
  const now = edits.reduce(applyTextEdit, text);
  return says(now, document.index, expected) ? now : undefined;
}

/** Each step on the result of the previous one; undefined as soon as one fails. */
function editInTurn(text: string, steps: readonly DocumentEdit[], { document, expected }: Goal): string | undefined {
  let now = text;
  for (const step of steps) {
    const read = readAt(now, document.index);
    const value = read && editValue(read.value, step);
    const edit = value && textEdit(now, read.document.document, step);
    if (!edit) return undefined;
    now = applyTextEdit(now, edit);
    if (!says(now, document.index, value.value)) return undefined;
  }
  return says(now, document.index, expected) ? now : undefined;
}

interface Goal {
  readonly document: YamlDocument;
  readonly expected: unknown;
}

/** Edits as single steps, and their result; undefined where one cannot be made. */
function stepsOf(before: unknown, edits: readonly DocumentEdit[]): { readonly steps: DocumentEdit[]; readonly value: unknown } | undefined {
  let value = before;
  const steps: DocumentEdit[] = [];
  for (const edit of edits) {
    const next = editValue(value, edit);
    if (!next) return undefined;
    if (edit.op === 'set') steps.push(...stepsBetween(memberAt(value, edit.path), edit.value, edit.path));
    else if (edit.op === 'rename' || !jsonEquals(value ?? null, next.value ?? null)) steps.push(edit);
    value = next.value;
  }
  return { steps, value };
}

/** The same values with the aliases of the steps written out; undefined where there are none. */
function detached(text: string, steps: readonly DocumentEdit[], document: YamlDocument): string | undefined {
  const places = steps.map((step) => (step.op === 'insert' ? [...step.path, step.index] : step.path));
  const value = readAt(text, document.index)?.value;
  const copies = aliasesInTheWay(document.document, places).map((path): DocumentEdit => ({
    op: 'set',
    path,
    value: memberAt(value, path),
  }));
  return copies.length === 0 ? undefined : editAtOnce(text, copies, { document, expected: value });
}

/** A text without a document: its comments stay above. */
function firstText(text: string, edit: DocumentEdit): string | undefined {
  const made = editValue(undefined, edit);
  if (!made || edit.op === 'delete') return edit.op === 'delete' ? text : undefined;
  const above = text.trim() === '' ? '' : text.endsWith('\n') ? text : `${text}\n`;
  return above + toYaml(made.value);
}

/**
 * The text with the edits made, one after the other. Undefined when that is impossible: the text has syntax errors or a duplicate key, the
 * document does not exist, a step of a path is a plain value, or a key's new name is taken.
 */
export function editYaml(text: string, edits: readonly DocumentEdit[], options: EditOptions = {}): string | undefined {
  const at = options.document ?? 0;
  const [first, ...rest] = edits;
  if (at === 0 && parseYaml(text).length === 0) {
    if (!first) return text;
    const begun = firstText(text, first);
    return begun === undefined ? undefined : editYaml(begun, rest);
  }
  const read = readAt(text, at);
  const made = read && stepsOf(read.value, edits);
  if (!made) return undefined;
  const { steps, value: expected } = made;
  if (steps.length === 0) return text;
  const goal = { document: read.document, expected };
  const few = steps.length <= STEPS_MAX;
  const byText = editAtOnce(text, steps, goal) ?? (few ? editInTurn(text, steps, goal) : undefined);
  if (byText !== undefined) return byText;
  const apart = detached(text, steps, read.document);
  if (apart !== undefined) return editYaml(apart, steps, options);
  const written = rewritten(text, read.document, steps);
  if (says(written, at, expected)) return written;
  // Comments of this document are lost only where no other way gives the right value.
  const plain = text.slice(0, read.document.from) + toYaml(expected) + text.slice(read.document.to);
  return says(plain, at, expected) ? plain : undefined;
}

/** The text with the edits made; unchanged where they cannot be. */
export function editedText(text: string, ...edits: readonly DocumentEdit[]): string {
  return editYaml(text, edits) ?? text;
}
