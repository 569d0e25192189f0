// kubectl's dialect of JSONPath: `{.items[*].metadata.name}`, ranges, filters. Parsed once, run over JSON values, never evaluated as code.
import { isObject } from '@svc/shared/json';
import { usageError } from '../program/exit-codes.ts';

const TEMPLATE_MAX_CHARS = 4_096;
const RANGES_MAX = 8;
/** Values that one template may visit, against `..` within `..`. */
const VALUES_MAX = 1_000_000;

type Literal = string | number | boolean | null;
type Step = (values: Iterable<unknown>) => Iterable<unknown>;

/** Values at a path; `$` begins at the root, anything else at the current value. */
export type JsonPath = (root: unknown, current?: unknown) => readonly unknown[];

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'values'; readonly path: JsonPath }
  | { readonly type: 'range'; readonly path: JsonPath; readonly body: readonly Part[] };

const HELP = `such as '{.items[*].metadata.name}' or '{range .items[*]}{.metadata.name}{"\\n"}{end}'`;
const wrong = (text: string, problem: string) => usageError(`the JSONPath "${text.slice(0, 200)}" ${problem}`, HELP);

/** One value as text: strings as they are, anything else as JSON. */
export const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const NAME = String.raw`(?:[^\s.[\]{}()'"\\,]|\\.)+`;
const QUOTED = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`;
const TOKEN = new RegExp(
  String.raw`(?<deep>\.\.(?=\[|${NAME}))|\.?(?<wild>\*)|\.?(?<name>${NAME})|\[\s*(?:(?<all>\*)|(?<from>-?\d+)?:(?<to>-?\d+)?|(?<index>-?\d+)|(?<keys>(?:${QUOTED})(?:\s*,\s*(?:${QUOTED}))*)|\?\((?<filter>(?:${QUOTED}|[^'"])*?)\))\s*\]`,
  'y',
);
const FILTER = new RegExp(String.raw`^\s*(?<path>@[^\s=!<>]*)\s*(?:(?<op>==|!=|<=|>=|<|>)\s*(?<value>${QUOTED}|[\w.+-]+)\s*)?$`);
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const unescaped = (text: string): string => text.replace(/\\(.)/gs, (_all, letter: string) => ESCAPES[letter] ?? letter);
const unquoted = (text: string): string => unescaped(text.slice(1, -1));

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function* keyed(values: Iterable<unknown>, names: readonly string[]): Iterable<unknown> {
  for (const value of values) for (const name of names) if (isObject(value) && Object.hasOwn(value, name)) yield value[name];
}

function* eachChild(values: Iterable<unknown>): Iterable<unknown> {
  for (const value of values) yield* childrenOf(value);
}

function* sliced(values: Iterable<unknown>, from: number | undefined, to: number | undefined): Iterable<unknown> {
  for (const value of values) if (Array.isArray(value)) yield* value.slice(from, to);
}

function* atIndex(values: Iterable<unknown>, index: number): Iterable<unknown> {
  for (const value of values) if (Array.isArray(value) && value.at(index) !== undefined) yield value.at(index);
}

/** The values and everything below them. */
function* descended(values: Iterable<unknown>): Iterable<unknown> {
  const open = [...values].reverse();
  for (let seen = 0; open.length > 0; seen += 1) {
    if (seen > VALUES_MAX) throw usageError(`the JSONPath reads more than ${VALUES_MAX} values`);
    const value = open.pop();
    yield value;
    // One by one: a spread of a very long list exhausts the stack.
    for (const child of [...childrenOf(value)].reverse()) open.push(child);
  }
}

function literalOf(text: string): Literal {
  if (/^['"]/.test(text)) return unquoted(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  return Number.isNaN(Number(text)) ? text : Number(text);
}

const COMPARISONS: Readonly<Record<string, (a: unknown, b: Literal) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => typeof a === typeof b && (a as number) < (b as number),
  '>': (a, b) => typeof a === typeof b && (a as number) > (b as number),
  '<=': (a, b) => typeof a === typeof b && (a as number) <= (b as number),
  '>=': (a, b) => typeof a === typeof b && (a as number) >= (b as number),
};

function filterStep(text: string): Step {
  const { path = '', op, value = '' } = FILTER.exec(text)?.groups ?? {};
  if (path === '') throw wrong(text, 'is not a filter: write ?(@.field=="value")');
  const field = parsePath(path);
  const compare = COMPARISONS[op ?? ''];
  const literal = literalOf(value);
  const holds = (item: unknown) => {
    const found = field(item, item);
    return compare ? found.some((each) => compare(each, literal)) : found.length > 0;
  };
  return function* (values) {
    for (const value of values) yield* childrenOf(value).filter(holds);
  };
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

function stepOf(groups: Readonly<Record<string, string | undefined>>): Step {
  const { deep, wild, name, all, from, to, index, keys, filter } = groups;
  if (deep !== undefined) return descended;
  if (name !== undefined) return (values) => keyed(values, [unescaped(name)]);
  if (keys !== undefined) {
    const names = (keys.match(new RegExp(QUOTED, 'g')) ?? []).map(unquoted);
    return (values) => keyed(values, names);
  }
  if (wild !== undefined || all !== undefined) return eachChild;
  if (index !== undefined) return (values) => atIndex(values, Number(index));
  if (filter !== undefined) return filterStep(filter);
  return (values) => sliced(values, numberOf(from), numberOf(to));
}

/** A path alone, with or without braces and the dot in front: `.metadata.name`, `{.status.phase}`. */
export function parsePath(text: string): JsonPath {
  const path = text.trim().replace(/^\{\s*([^]*?)\s*\}$/, '$1');
  if (path === '' || path.length > TEMPLATE_MAX_CHARS) throw wrong(text, path === '' ? 'is empty' : 'is too long');
  const atRoot = path.startsWith('$');
  const rest = path.replace(/^[$@]/, '');
  const steps: Step[] = [];
  for (let at = 0; at < rest.length && rest !== '.';) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(rest);
    if (!match?.groups) throw wrong(text, `is not understood at "${rest.slice(at, at + 40)}"`);
    at = TOKEN.lastIndex;
    steps.push(stepOf(match.groups));
  }
  return (root, current = root) => [...steps.reduce<Iterable<unknown>>((values, step) => step(values), [atRoot ? root : current])];
}

const BRACES = new RegExp(String.raw`\{((?:${QUOTED}|[^'"{}])*)\}`, 'y');

interface Reading {
  readonly text: string;
  at: number;
}

/** Parts up to the end of the text, or to the `{end}` of the range they are in. */
function readParts(reading: Reading, depth: number): Part[] {
  const parts: Part[] = [];
  while (reading.at < reading.text.length) {
    const open = reading.text.indexOf('{', reading.at);
    const plain = reading.text.slice(reading.at, open < 0 ? undefined : open);
    if (plain !== '') parts.push({ type: 'text', text: unescaped(plain) });
    if (open < 0) reading.at = reading.text.length;
    else if (readBraces(reading, { open, depth, parts }) === 'end') return parts;
  }
  if (depth > 0) throw wrong(reading.text, 'has a range without {end}');
  return parts;
}

function readBraces(reading: Reading, { open, depth, parts }: { open: number; depth: number; parts: Part[] }): 'end' | undefined {
  BRACES.lastIndex = open;
  const inner = BRACES.exec(reading.text)?.[1]?.trim();
  if (inner === undefined) throw wrong(reading.text, 'has a "{" without its "}"');
  reading.at = BRACES.lastIndex;
  if (inner === 'end') {
    if (depth === 0) throw wrong(reading.text, 'has an {end} without its range');
    return 'end';
  }
  const range = /^range\s+(.+)$/s.exec(inner)?.[1];
  if (range !== undefined) {
    if (depth === RANGES_MAX) throw wrong(reading.text, `has more than ${RANGES_MAX} ranges inside each other`);
    parts.push({ type: 'range', path: parsePath(range), body: readParts(reading, depth + 1) });
  } else if (new RegExp(`^(?:${QUOTED})$`).test(inner)) parts.push({ type: 'text', text: unquoted(inner) });
  else parts.push({ type: 'values', path: parsePath(inner) });
  return undefined;
}

function rendered(parts: readonly Part[], root: unknown, current: unknown): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      const values = part.path(root, current);
      return part.type === 'values' ? values.map(valueText).join(' ') : values.map((value) => rendered(part.body, root, value)).join('');
    })
    .join('');
}

/** A template of text and `{…}`; a path alone needs no braces. */
export function parseTemplate(text: string): (root: unknown) => string {
  if (text.length > TEMPLATE_MAX_CHARS) throw wrong(text, 'is too long');
  const parts = readParts({ text: text.includes('{') ? text : `{${text}}`, at: 0 }, 0);
  return (root) => rendered(parts, root, root);
}
