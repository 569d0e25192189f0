// YAML 1.2 (core schema) to plain JSON values. The library only composes the tree; turning it into values is done here, under limits:
// depth, alias expansion, tags, keys. Its own conversion and duplicate check are quadratic or unbounded on hostile input.
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
import type { Document, Scalar, YAMLError, YAMLMap, YAMLSeq } from 'yaml';
import { ServiceError } from '@svc/shared/errors';
import { childPath, depthProblem, keyProblem, numberProblem, structureError, textProblem } from './structure.ts';

/** Limit of the expansion of aliases, in nodes plus characters of text: enough for honest reuse, too little for a bomb. */
const ALIAS_EXPANSION_MAX = 1_048_576;

/** Tokens of one body; some 40,000 lines of `key: value`. Text within scalars does not count. */
export const LEXEMES_MAX = 200_000;

/** Stack entries of the parser besides collections: the document, and the current scalar. */
const STACK_REST = 2;

interface AnchoredValue {
  readonly value: unknown;
  /** Nodes plus characters of text, aliases within expanded. */
  readonly weight: number;
}

/** State of a conversion. Anchors hold converted values, so an alias costs nothing but its weight. */
interface Conversion {
  readonly anchors: Map<string, AnchoredValue>;
  /** Nodes plus characters so far. */
  weight: number;
  /** Share of the weight that aliases added. */
  expanded: number;
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line}, column ${offset - before.lastIndexOf('\n')}`;
}

function refuse(problem: string | undefined, path: string): void {
  if (problem !== undefined) throw structureError(path, problem);
}

function scalarValue(node: Scalar, path: string): unknown {
  const { value } = node;
  if (typeof value === 'string') refuse(textProblem(value), path);
  else if (typeof value === 'number') refuse(numberProblem(value), path);
  else if (value !== null && typeof value !== 'boolean') refuse('is not a plain YAML 1.2 value', path);
  return value;
}

function keyText(key: unknown, conversion: Conversion, path: string): string {
  const value = isAlias(key) ? conversion.anchors.get(key.source)?.value : isScalar(key) ? scalarValue(key, path) : undefined;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean' && value !== null) {
    throw structureError(path, 'has a key that is not plain text');
  }
  if (isScalar(key) && key.anchor !== undefined) conversion.anchors.set(key.anchor, { value, weight: 1 });
  const text = String(value);
  refuse(keyProblem(text), path);
  return text;
}

function mapValue(node: YAMLMap, conversion: Conversion, place: Place): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const { key, value } of node.items) {
    const name = keyText(key, conversion, place.path);
    if (Object.hasOwn(result, name)) throw structureError(place.path, `has the key "${name}" more than once`);
    conversion.weight += name.length;
    result[name] = convert(value, conversion, { path: childPath(place.path, name), depth: place.depth + 1 });
  }
  return result;
}

function seqValue(node: YAMLSeq, conversion: Conversion, place: Place): unknown[] {
  return node.items.map((item, index) => convert(item, conversion, { path: childPath(place.path, index), depth: place.depth + 1 }));
}

function aliasValue(name: string, conversion: Conversion, path: string): unknown {
  const anchored = conversion.anchors.get(name);
  if (anchored === undefined) throw structureError(path, `refers to the anchor "${name}", which is not defined before it`);
  conversion.weight += anchored.weight;
  conversion.expanded += anchored.weight;
  if (conversion.expanded > ALIAS_EXPANSION_MAX) throw structureError(path, 'expands to too much through aliases; write the values out');
  return anchored.value;
}

function convert(node: unknown, conversion: Conversion, place: Place): unknown {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return aliasValue(node.source, conversion, place.path);
  const began = conversion.weight;
  conversion.weight += 1;
  const value = nodeValue(node, conversion, place);
  const anchor = (node as { anchor?: string }).anchor;
  if (anchor !== undefined) conversion.anchors.set(anchor, { value, weight: conversion.weight - began });
  return value;
}

function nodeValue(node: unknown, conversion: Conversion, place: Place): unknown {
  if (isScalar(node)) {
    const value = scalarValue(node, place.path);
    if (typeof value === 'string') conversion.weight += value.length;
    return value;
  }
  refuse(depthProblem(place.depth + 1), place.path);
  if (isMap(node)) return mapValue(node, conversion, place);
  if (isSeq(node)) return seqValue(node, conversion, place);
  throw structureError(place.path, 'is not a YAML value');
}

/** The library's tokens, no more than a limit: the rest (building and composing the tree) takes microseconds for each. */
function* limitedLexemes(text: string): Generator<string> {
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > LEXEMES_MAX) throw structureError('', `has more than ${LEXEMES_MAX} YAML tokens; send it in parts, or as JSON`);
    yield lexeme;
  }
}

/**
 * Composing recurses for each level, and near the end of the stack it can end the process. So the depth is watched while the tree is built,
 * which does not recurse: every collection that is open, by brackets, indicators or indentation, is on the parser's stack.
 */
function* compose(text: string): Generator<Document.Parsed> {
  const parser = new Parser();
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    customTags: [],
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  for (const lexeme of limitedLexemes(text)) {
    for (const token of parser.next(lexeme)) yield* composer.next(token);
    refuse(depthProblem(parser.stack.length - STACK_REST), '');
  }
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end();
  refuseFault(composer.streamInfo(), text);
}

interface Faults {
  readonly errors: readonly YAMLError[];
  readonly warnings: readonly YAMLError[];
}

/** Warnings (unknown tags, odd directives) count as errors: what they are about would be lost. */
function refuseFault({ errors, warnings }: Faults, text: string): void {
  const fault = errors[0] ?? warnings[0];
  if (fault === undefined) return;
  throw new ServiceError('invalid', `The body is not valid YAML: ${fault.message} at ${lineAndColumn(text, fault.pos[0])}`);
}

/** Every document of a stream in order; empty ones are left out. Throws `invalid` at the first fault. */
export function parseYamlDocuments(text: string): unknown[] {
  const values: unknown[] = [];
  for (const document of compose(text)) {
    refuseFault(document, text);
    if (document.contents === null) continue;
    const value = convert(document.contents, { anchors: new Map(), weight: 0, expanded: 0 }, { path: '', depth: 0 });
    if (value !== null) values.push(value);
  }
  return values;
}
