// Manifests from files, directories and standard input, each document with the positions of its fields, so that every error can be shown at its position.
import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isAlias, isCollection, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseAllDocuments, type Document } from 'yaml';
import { ServiceError, type FieldError } from '@svc/shared/errors';
import { checkStructure } from '../../manifest/structure.ts';
import { CliError, usageError } from '../program/exit-codes.ts';
import { readAll, readGivenText, unreadable, type Terminal } from '../program/terminal.ts';

/** Bound on what alias expansion may produce, as on the server. */
const MAX_ALIASES = 100;
const MANIFEST_NAME = /^[^.].*\.(ya?ml|json)$/i;

interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ManifestProblem extends Position {
  readonly file: string;
  /** Dotted path of the field; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

export interface ManifestDocument {
  readonly file: string;
  readonly value: unknown;
  /** Position of the field at a dotted path, or of the nearest existing field around it. */
  readonly locate: (path: string) => Position;
}

export interface Manifests {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly ManifestProblem[];
}

/** `file:line:column: path message`. */
export function problemLine(problem: ManifestProblem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.path ? `${problem.path} ` : ''}${problem.message}`;
}

function unresolved(node: unknown, document: Document): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isCollection(node) || isAlias(node) ? node.range?.[0] : undefined;
}

/** One step down a path; keys may hold dots, so the shortest run of segments that is a key counts. */
function descend(node: unknown, segments: readonly string[]): { node: unknown; at: number | undefined; used: number } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(segments[0])];
    return item === undefined ? undefined : { node: item, at: offsetOf(item), used: 1 };
  }
  if (!isMap(node)) return undefined;
  for (let used = 1; used <= segments.length; used += 1) {
    const key = segments.slice(0, used).join('.');
    const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === key);
    if (pair)
      return { node: pair.value, at: isScalar(pair.value) && pair.value.value !== null ? offsetOf(pair.value) : offsetOf(pair.key), used };
  }
  return undefined;
}

function offsetAt(document: Document, root: unknown, path: string): number {
  let segments = path.split(/[.[\]]+/).filter((segment) => segment !== '');
  let node = unresolved(root, document);
  let offset = offsetOf(root) ?? 0;
  while (segments.length > 0) {
    const step = descend(node, segments);
    if (!step) break;
    offset = step.at ?? offset;
    node = unresolved(step.node, document);
    segments = segments.slice(step.used);
  }
  return offset;
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Reads one top-level value: a document, or the reasons why it is not one. */
function readValue(document: Document, root: unknown): { value: unknown } | { errors: readonly FieldError[] } {
  try {
    const value: unknown = isNode(root) ? root.toJS(document, { maxAliasCount: MAX_ALIASES }) : root;
    checkStructure(value);
    return { value };
  } catch (error) {
    const { details } = error as ServiceError;
    return { errors: error instanceof ServiceError && details ? details : [{ path: '', message: (error as Error).message }] };
  }
}

/** The values of one document: the items of an array or of a List, or the document itself. */
function rootsOf({ contents }: Document): readonly unknown[] {
  const list = isMap(contents) && contents.get('kind') === 'List' ? contents.get('items') : contents;
  return isSeq(list) ? list.items : [contents];
}

function readDocument(file: string, document: Document, lines: LineCounter): Manifests {
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    return {
      documents: [],
      problems: faults.map((fault) => ({ file, path: '', message: fault.message, ...positionAt(lines, fault.pos[0]) })),
    };
  }
  const read = rootsOf(document).map((root) => ({
    ...readValue(document, root),
    locate: (path: string) => positionAt(lines, offsetAt(document, root, path)),
  }));
  return {
    documents: read.flatMap((each) => ('value' in each && each.value !== null ? [{ file, value: each.value, locate: each.locate }] : [])),
    problems: read.flatMap((each) =>
      'errors' in each ? each.errors.map((error) => ({ file, ...error, ...each.locate(error.path) })) : [],
    ),
  };
}

/** Every document of one text; an array at the top (what `get -o json` prints), or a List, is one document per item. */
export function parseManifests(file: string, text: string): Manifests {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, version: '1.2', schema: 'core', prettyErrors: false });
  const read = (Array.isArray(parsed) ? parsed : []).map((document) => readDocument(file, document as Document, lines));
  return { documents: read.flatMap((each) => each.documents), problems: read.flatMap((each) => each.problems) };
}

async function filesUnder(directory: string): Promise<string[]> {
  const found = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(directory, error);
  });
  const entries = found.sort((a, b) => (a.name < b.name ? -1 : 1));
  const nested = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : filesUnder(path);
      return MANIFEST_NAME.test(entry.name) ? [path] : [];
    }),
  );
  return nested.flat();
}

/** Where manifests are read from. */
type Source = Pick<Terminal, 'stdin' | 'cwd'>;

async function expand(path: string, terminal: Source): Promise<string[]> {
  if (path === '-') return ['-'];
  if (/^https?:\/\//i.test(path)) throw usageError(`-f does not read URLs: ${path}`, 'download it first and read it');
  const absolute = resolve(terminal.cwd, path);
  const info = await stat(absolute).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!info.isDirectory()) return [absolute];
  const files = await filesUnder(absolute);
  if (files.length === 0) throw new CliError(`${path} holds no .yaml, .yml or .json file`);
  return files;
}

/** Reads every document of the given files, directories (recursively, in name order) and `-` (standard input). */
export async function readManifests(paths: readonly string[], terminal: Source): Promise<Manifests> {
  const files = (await Promise.all(paths.map((path) => expand(path, terminal)))).flat();
  const texts = await Promise.all(
    [...new Set(files)].map(async (file) =>
      file === '-'
        ? { name: 'stdin', text: await readAll(terminal.stdin) }
        : { name: shortName(file, terminal.cwd), text: await readGivenText(terminal, file) },
    ),
  );
  const parsed = texts.map(({ name, text }) => parseManifests(name, text));
  return { documents: parsed.flatMap((each) => each.documents), problems: parsed.flatMap((each) => each.problems) };
}

/** The `-f` arguments in a sentence. */
export const namesOf = (paths: readonly string[]): string => paths.map((path) => (path === '-' ? 'standard input' : path)).join(', ');

function shortName(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short === '' || short.startsWith('..') ? file : short;
}
