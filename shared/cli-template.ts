// Argument templates of cli tools: `{{ .a.b }}`, pipes, and the functions json, default and join. Independent of tools; runs no code: a template only reads the input.
// Parsing and rendering take time linear in template, input and result.
import { isObject } from './json.ts';

export const TEMPLATE_MAX_CHARS = 8_192;
/** Limit of a whole command line, unless a worker sets another. */
export const ARGV_MAX_BYTES_DEFAULT = 4_096;
const PIPELINE_MAX_STAGES = 16;

/** A template that does not parse. */
export class TemplateSyntaxError extends Error {
  override readonly name = 'TemplateSyntaxError';
}

/** An input that a template cannot be filled from. The message names fields, never values. */
export class TemplateInputError extends Error {
  override readonly name = 'TemplateInputError';
}

export interface Template {
  readonly parts: readonly (string | Pipeline)[];
}

type Pipeline = readonly Stage[];
type Stage = { readonly call?: FunctionName; readonly operands: readonly Operand[] };
type Operand = { readonly path: readonly string[] } | { readonly literal: string | number | boolean };
type FunctionName = 'json' | 'default' | 'join';

/** A value on its way through a pipeline, with the field it came from. */
interface Value {
  /** Undefined: the input has no such field. */
  readonly value: unknown;
  readonly source: string;
}

/** Throws TemplateSyntaxError, whose message follows "the template". */
export function parseTemplate(text: string): Template {
  if (text.length > TEMPLATE_MAX_CHARS) throw new TemplateSyntaxError(`is longer than ${TEMPLATE_MAX_CHARS} characters`);
  const parts: (string | Pipeline)[] = [];
  let rest = 0;
  let trimNext = false;
  const pushText = (raw: string, trimEnd: boolean) => {
    const start = trimNext ? raw.trimStart() : raw;
    const kept = trimEnd ? start.trimEnd() : start;
    if (kept !== '') parts.push(kept);
  };
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', rest)) {
    const { tokens, end, trimBefore, trimAfter } = readAction(text, open);
    pushText(text.slice(rest, open), trimBefore);
    parts.push(parsePipeline(tokens, text.slice(open, end)));
    rest = end;
    trimNext = trimAfter;
  }
  pushText(text.slice(rest), false);
  return { parts };
}

/** Problem of a template, for rules at write time; undefined when it parses. */
export function templateProblem(text: string): string | undefined {
  try {
    parseTemplate(text);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return error.message;
    throw error;
  }
}

/** The filled template, always one string. Throws TemplateInputError for missing fields, for lists and objects that no function turned into text, and past `maxChars`. */
export function renderTemplate(template: Template, input: unknown, maxChars: number): string {
  const texts: string[] = [];
  let chars = 0;
  for (const part of template.parts) {
    const text = typeof part === 'string' ? part : textOf(evaluate(part, input));
    chars += text.length;
    if (chars > maxChars) throw new TemplateInputError(`gives more than ${maxChars} characters`);
    texts.push(text);
  }
  return texts.join('');
}

// ---------------------------------------------------------------- parsing

type Token =
  | { readonly kind: 'path'; readonly path: readonly string[] }
  | { readonly kind: 'literal'; readonly literal: string | number | boolean }
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'pipe' };

interface Action {
  readonly tokens: readonly Token[];
  /** Behind the closing braces. */
  readonly end: number;
  readonly trimBefore: boolean;
  readonly trimAfter: boolean;
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_]*(?:-[\\p{L}\\p{N}_]+)*';
const SPACE = /[ \t\r\n]*/y;
const CLOSE = /(?:[ \t\r\n]+-)?[ \t\r\n]*\}\}/y;
const PATH = new RegExp(`\\.(?:${NAME}(?:\\.${NAME})*)?`, 'uy');
const QUOTED = /"(?:[^"\\\n]|\\.)*"/y;
const RAW = /`[^`]*`/y;
const NUMBER = /-?\d+(?:\.\d+)?/y;
const WORD = new RegExp(NAME, 'uy');

function readAction(text: string, open: number): Action {
  const trimBefore = /^\{\{-[ \t\r\n]/.test(text.slice(open, open + 4));
  let at = open + (trimBefore ? 3 : 2);
  const tokens: Token[] = [];
  for (;;) {
    const close = match(CLOSE, text, at);
    if (close !== undefined) return { tokens, end: at + close.length, trimBefore, trimAfter: close.includes('-') };
    at += match(SPACE, text, at)?.length ?? 0;
    if (at >= text.length) throw new TemplateSyntaxError(`has a "{{" without its "}}"`);
    const [token, length] = readToken(text, at);
    tokens.push(token);
    at += length;
  }
}

function readToken(text: string, at: number): [Token, number] {
  if (text[at] === '|') return [{ kind: 'pipe' }, 1];
  const path = match(PATH, text, at);
  if (path !== undefined) return [{ kind: 'path', path: path === '.' ? [] : path.slice(1).split('.') }, path.length];
  const quoted = match(QUOTED, text, at);
  if (quoted !== undefined) return [{ kind: 'literal', literal: unquote(quoted) }, quoted.length];
  const raw = match(RAW, text, at);
  if (raw !== undefined) return [{ kind: 'literal', literal: raw.slice(1, -1) }, raw.length];
  const number = match(NUMBER, text, at);
  if (number !== undefined) return [{ kind: 'literal', literal: Number(number) }, number.length];
  const word = match(WORD, text, at);
  if (word === 'true' || word === 'false') return [{ kind: 'literal', literal: word === 'true' }, word.length];
  if (word !== undefined) return [{ kind: 'word', word }, word.length];
  throw new TemplateSyntaxError(`has an unexpected ${JSON.stringify(text[at])} at position ${at + 1}`);
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function unquote(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new TemplateSyntaxError(`has a string with an unknown escape: ${quoted}`);
  }
}

function parsePipeline(tokens: readonly Token[], shown: string): Pipeline {
  const stages: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'pipe') stages.push([]);
    else stages.at(-1)?.push(token);
  }
  if (stages.length > PIPELINE_MAX_STAGES) throw new TemplateSyntaxError(`has a pipe of more than ${PIPELINE_MAX_STAGES} stages`);
  return stages.map((stage, index) => parseStage(stage, { piped: index > 0, shown }));
}

function parseStage([head, ...rest]: readonly Token[], { piped, shown }: { piped: boolean; shown: string }): Stage {
  if (!head) throw new TemplateSyntaxError(`has nothing to show in ${shown}`);
  const operands = (head.kind === 'word' ? rest : [head, ...rest]).map((token) => operandOf(token, shown));
  if (head.kind !== 'word') {
    if (operands.length > 1) throw new TemplateSyntaxError(`has two values side by side in ${shown}; join them with a function or a pipe`);
    if (piped) throw new TemplateSyntaxError(`pipes into something that is not a function in ${shown}`);
    return { operands };
  }
  const call = functionName(head.word);
  const wanted = call === 'json' ? 1 : 2;
  const given = operands.length + (piped ? 1 : 0);
  // A list piped into join, or named by it, may stand without a separator.
  if (given !== wanted && !(call === 'join' && given === 1)) {
    throw new TemplateSyntaxError(`calls ${call} with ${given} values in ${shown}; it takes ${wanted}`);
  }
  return { call, operands };
}

function functionName(word: string): FunctionName {
  if (word === 'json' || word === 'default' || word === 'join') return word;
  throw new TemplateSyntaxError(`calls "${word}", which is not a function; there are json, default and join, and fields begin with a dot`);
}

function operandOf(token: Token, shown: string): Operand {
  if (token.kind === 'path') return { path: token.path };
  if (token.kind === 'literal') return { literal: token.literal };
  throw new TemplateSyntaxError(`has a function as the value of another in ${shown}; use a pipe`);
}

// ---------------------------------------------------------------- rendering

function evaluate(pipeline: Pipeline, input: unknown): Value {
  let piped: Value | undefined;
  for (const { call, operands } of pipeline) {
    const values = operands.map((operand) => read(operand, input));
    if (piped) values.push(piped);
    piped = call === undefined ? values[0] : functions[call](values);
  }
  return piped ?? { value: undefined, source: 'the input' };
}

function read(operand: Operand, input: unknown): Value {
  if ('literal' in operand) return { value: operand.literal, source: 'a literal' };
  const value = operand.path.reduce<unknown>((from, key) => (isObject(from) && Object.hasOwn(from, key) ? from[key] : undefined), input);
  return { value, source: operand.path.length === 0 ? 'the input' : `the field "${operand.path.join('.')}"` };
}

const functions: Readonly<Record<FunctionName, (values: readonly Value[]) => Value>> = {
  json([given]) {
    const { value, source } = present(given);
    return { value: JSON.stringify(value), source };
  },
  /** Default for a missing, null or empty value; false and 0 are values. */
  default([fallback, given]) {
    const empty = given?.value === undefined || given.value === null || given.value === '';
    return present(empty ? fallback : given);
  },
  /** In either order, as in `join .list ","` and `.list | join ","`. */
  join(values) {
    const missing = values.find(({ value }) => value === undefined);
    if (missing) return present(missing);
    const list = values.find(({ value }) => Array.isArray(value));
    const separator = values.find((value) => value !== list);
    if (!list) throw new TemplateInputError(`joins ${values[0]?.source ?? 'nothing'}, which is not a list`);
    const items = (list.value as unknown[]).map((value, index) => textOf({ value, source: `entry ${index} of ${list.source}` }));
    return { value: items.join(separator ? textOf(separator) : ','), source: list.source };
  },
};

function present(given: Value | undefined): Value {
  if (given?.value === undefined) throw new TemplateInputError(`needs ${given?.source ?? 'a value'}, which the input does not have`);
  return given;
}

function textOf(given: Value): string {
  const { value, source } = present(given);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) throw new TemplateInputError(`needs ${source}, which is null in the input`);
  const kind = Array.isArray(value) ? 'a list: use join or json' : 'an object: use json or name one of its fields';
  throw new TemplateInputError(`uses ${source}, which is ${kind}`);
}
