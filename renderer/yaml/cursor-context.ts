// Position of a cursor in incomplete YAML: the path around it and whether a key or a value is due. Pure; works on lines and indentation,
// because a parser cannot read incomplete text.
import type { PathSegment } from '@svc/shared/path-text';
import type { YamlPath } from './path-text.ts';

export interface CursorContext {
  /** Path of the map, list or value that receives the typed text. */
  readonly path: YamlPath;
  /** `key`: a key of the map at `path`, or an entry if a list is due there. `value`: the value at `path`. */
  readonly position: 'key' | 'value';
  /** Start of the word at the cursor, and the word up to the cursor. */
  readonly from: number;
  readonly word: string;
  readonly flow: boolean;
  /** Whether the line already has its `- `, so that an entry needs none. */
  readonly inEntry: boolean;
  /** Column of the word, by which nested lines are indented. */
  readonly column: number;
}

/** One open level: a key or an entry, and its start column. */
interface Level {
  readonly column: number;
  readonly segment: PathSegment;
}

interface Flow {
  readonly type: 'map' | 'list';
  index: number;
  key: string | undefined;
}

const QUOTED_KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*:(?=\s|$)/;
const NO_KEY = /^[[{#&*!|>%@`"']/;
const PROPERTIES = /^(?:[&!]\S*\s+)+/;
const BLOCK_HEADER = /(?:^|\s)[|>][-+0-9]*\s*(?:#.*)?$/;

function plainKey(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** The key at the start of a text, and its length with its colon. */
function leadingKey(text: string): { readonly name: string; readonly length: number } | undefined {
  const quoted = QUOTED_KEY.exec(text);
  if (quoted?.[1] !== undefined) return { name: plainKey(quoted[1]), length: quoted[0].length };
  if (NO_KEY.test(text)) return undefined;
  const colon = text.search(/:(?=\s|$)/);
  return colon < 1 ? undefined : { name: text.slice(0, colon).trimEnd(), length: colon + 1 };
}

/** The text without a comment at its end. Quotes are respected. */
function uncommented(text: string): string {
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if ((char === '"' || char === "'") && (at === 0 || /[\s{[,:]/.test(text[at - 1] ?? ''))) quote = char;
    else if (char === '#' && (at === 0 || /\s/.test(text[at - 1] ?? ''))) return text.slice(0, at);
  }
  return text;
}

class Scanner {
  levels: Level[] = [];
  flows: Flow[] = [];
  quote = '';
  word = '';
  wordFrom = 0;
  afterColon = false;
  /** The text of a block scalar is everything indented more than this. */
  blockColumn: number | undefined;

  private open(column: number, segment: PathSegment): void {
    this.levels.push({ column, segment });
  }

  closeFrom(column: number): void {
    this.levels = this.levels.filter((level) => level.column < column);
  }

  /** A `- ` at this column: the next entry of the list there, or its first. */
  private entry(column: number): void {
    const same = this.levels.findLast((level) => level.column === column && typeof level.segment === 'number');
    const index = typeof same?.segment === 'number' ? same.segment + 1 : 0;
    // The key of the list may be in the same column as its entries.
    this.levels = this.levels.filter((level) => level.column < column || (level.column === column && typeof level.segment === 'string'));
    this.open(column, index);
  }

  private key(column: number, name: string): void {
    this.closeFrom(column);
    this.open(column, name);
  }

  /** Reads the block part of a line from `column` on; the rest is the value. */
  block(text: string, column: number): { readonly rest: string; readonly column: number } {
    let at = column;
    let rest = text;
    for (let dash = /^-(\s+|$)/.exec(rest); dash; dash = /^-(\s+|$)/.exec(rest)) {
      this.entry(at);
      at += dash[0].length;
      rest = rest.slice(dash[0].length);
    }
    const key = leadingKey(rest);
    if (!key) return { rest, column: at };
    this.key(at, key.name);
    const after = rest.slice(key.length);
    const skipped = /^\s*/.exec(after)?.[0].length ?? 0;
    const value = after.slice(skipped);
    const properties = PROPERTIES.exec(value)?.[0].length ?? 0;
    return { rest: value.slice(properties), column: at + key.length + skipped + properties };
  }

  /** One character within `{}` or `[]`. */
  flowChar(char: string, offset: number): void {
    if (this.quote !== '') {
      if (char === this.quote) this.quote = '';
      this.word += char;
      return;
    }
    const flow = this.flows.at(-1);
    if (char === '{' || char === '[') this.openFlow(char === '{' ? 'map' : 'list');
    else if (char === '}' || char === ']') this.flows.pop();
    else if (char === ',' && flow) {
      flow.index += 1;
      flow.key = undefined;
      this.afterColon = false;
    } else if (char === ':' && flow?.type === 'map' && flow.key === undefined) {
      flow.key = plainKey(this.word.trim());
      this.afterColon = true;
    } else {
      if (char === '"' || char === "'") this.quote = char;
      if (this.word === '' && /\s/.test(char)) return;
      if (this.word === '') this.wordFrom = offset;
      this.word += char;
      return;
    }
    this.word = '';
    this.wordFrom = offset + 1;
  }

  openFlow(type: Flow['type']): void {
    this.flows.push({ type, index: 0, key: undefined });
    this.afterColon = false;
  }

  flowText(text: string, offset: number): void {
    for (let at = 0; at < text.length && (this.flows.length > 0 || at === 0); at += 1) this.flowChar(text[at] ?? '', offset + at);
  }

  path(): YamlPath {
    const inFlow = this.flows.map((flow) => (flow.type === 'list' ? flow.index : flow.key));
    return [...this.levels.map((level) => level.segment), ...inFlow.filter((each) => each !== undefined)];
  }
}

/** The text of the document at the offset, up to the offset, and its start. */
function documentBefore(text: string, offset: number): { readonly start: number; readonly lines: readonly string[] } {
  const before = text.slice(0, offset);
  const marker = /^(?:---|\.\.\.)(?=\s|$).*(?:\n|$)/gm;
  let start = 0;
  for (let match = marker.exec(before); match; match = marker.exec(before)) {
    if (match[0].endsWith('\n')) start = match.index + match[0].length;
    if (match[0] === '') marker.lastIndex += 1;
  }
  return { start, lines: before.slice(start).split('\n') };
}

function readLine(scanner: Scanner, line: string, offset: number): void {
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  if (scanner.flows.length > 0) {
    scanner.flowText(uncommented(line), offset);
    return;
  }
  if (line.trim() === '') return;
  if (scanner.blockColumn !== undefined) {
    if (indent > scanner.blockColumn) return;
    scanner.blockColumn = undefined;
  }
  const text = uncommented(line).trimEnd();
  if (text.trim() === '') return;
  const { rest, column } = scanner.block(text.slice(indent), indent);
  if (rest.startsWith('{') || rest.startsWith('[')) scanner.flowText(rest, offset + column);
  if (BLOCK_HEADER.test(rest)) scanner.blockColumn = indent;
}

function flowContext(scanner: Scanner): CursorContext {
  const flow = scanner.flows.at(-1);
  const path = scanner.path();
  const position = flow?.type === 'map' && flow.key === undefined ? 'key' : 'value';
  return { path, position, from: scanner.wordFrom, word: scanner.word, flow: true, inEntry: true, column: 0 };
}

function blockContext(scanner: Scanner, line: string, offset: number): CursorContext {
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  const text = line.slice(indent);
  const dashes = /^(?:-\s+)*/.exec(text)?.[0] ?? '';
  const { rest, column } = scanner.block(text, indent);
  const from = offset + column;
  const common = { from, word: rest, flow: false, inEntry: dashes !== '', column };
  // After `key:` a value of that key is due; otherwise a key, or a plain entry of a list.
  if (leadingKey(text.slice(dashes.length))) return { ...common, path: scanner.path(), position: 'value' };
  if (dashes === '') scanner.closeFrom(indent);
  return { ...common, path: scanner.path(), position: 'key' };
}

/** The context at an offset; undefined within comments and the text of block scalars, where nothing is offered. */
export function cursorContext(text: string, offset: number): CursorContext | undefined {
  const { start, lines } = documentBefore(text, offset);
  const scanner = new Scanner();
  let at = start;
  for (const line of lines.slice(0, -1)) {
    readLine(scanner, line, at);
    at += line.length + 1;
  }
  const line = lines.at(-1) ?? '';
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  if (uncommented(line) !== line) return undefined;
  if (scanner.flows.length === 0) {
    if (scanner.blockColumn !== undefined && indent > scanner.blockColumn) return undefined;
    const context = blockContext(scanner, line, at);
    if (!/^[{[]/.test(context.word)) return context;
    scanner.flowText(context.word, context.from);
    return scanner.flows.length > 0 ? flowContext(scanner) : undefined;
  }
  scanner.wordFrom = at + indent;
  scanner.word = scanner.quote === '' ? '' : scanner.word;
  scanner.flowText(line, at);
  return scanner.flows.length > 0 ? flowContext(scanner) : undefined;
}
