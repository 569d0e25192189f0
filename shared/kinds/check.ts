// Turns a spec as a client sent it into the one that is stored, or into every problem it has, each at its path. Pure.
import type { z } from 'zod';
import type { FieldError } from '../errors.ts';
import { isObject } from '../json.ts';
import { didYouMean, SUGGESTED_MAX } from '../nearest-word.ts';
import { pathText, type PathSegment } from '../path-text.ts';
import type { UnknownField } from '../resource.ts';
import type { KindDefinition, RuleContext } from './define.ts';
import { entryErrors } from './entry-limits.ts';
import { metaOf, shapeOf } from './schema-walk.ts';

export interface SpecCheck<Spec> {
  /** The normalised spec; meaningful only when `errors` is empty. */
  readonly spec: Spec;
  readonly errors: readonly FieldError[];
  /** Fields the kind does not have, with `drop` only; they are not in `spec`. */
  readonly unknown: readonly UnknownField[];
}

type Path = readonly PathSegment[];

interface Problem {
  readonly path: Path;
  readonly message: string;
  readonly kind: 'type' | 'unknown';
  /** With `unknown`: the suggestion that ends the message, or empty. */
  readonly hint?: string;
}

const ROOT = 'spec';
/** A round removes what does not fit and parses again; one round is enough unless a removal uncovers something. */
const ROUNDS_MAX = 4;
/** Unknown fields that an answer names; the others are counted. */
export const UNKNOWN_SHOWN_MAX = 100;
/** Bad values past which the rules' errors are left out: telling which of them only follow takes every pair. */
const BAD_JUDGED_MAX = 200;

const specPath = (path: Path): string => pathText(path, ROOT);

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value === undefined ? 'nothing' : `a ${typeof value}`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  int: 'a whole number',
  // Every number in a spec is an integer.
  number: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const segment of path) {
    if (Array.isArray(current) && typeof segment === 'number') current = current[segment];
    else if (isObject(current) && Object.hasOwn(current, segment)) current = current[segment];
    else return undefined;
  }
  return current;
}

function expectedText(issue: z.core.$ZodIssueInvalidType): string {
  return EXPECTED[issue.expected] ?? `a ${issue.expected}`;
}

function expectedOfUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  const options = issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_type' ? [expectedText(inner)] : []));
  return [...new Set(options)].join(' or ');
}

function issueMessage(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_union')
    return `must be ${expectedOfUnion(issue)}, not ${typeof value === 'number' ? value : typeName(value)}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code !== 'invalid_type') return issue.message;
  const expected = expectedText(issue);
  if (issue.expected === 'int' && typeof value === 'number') return `must be a whole number, not ${value}`;
  return `must be ${expected}, not ${typeName(value)}`;
}

/** Names of the fields that the object at a path may have. */
function fieldsAt(schema: z.ZodType, path: Path): readonly string[] {
  const shape = shapeOf(schema);
  if (shape.type === 'union') return shape.options.flatMap((option) => fieldsAt(option, path));
  const [segment, ...rest] = path;
  if (segment === undefined) return shape.type === 'object' ? Object.keys(shape.fields) : [];
  const inner =
    shape.type === 'object' ? shape.fields[segment] : shape.type === 'list' ? shape.item : shape.type === 'map' ? shape.value : undefined;
  return inner ? fieldsAt(inner, rest) : [];
}

function problemsOf(issues: readonly z.core.$ZodIssue[], raw: unknown, schema: z.ZodType): Problem[] {
  let suggested = 0;
  return issues.flatMap((issue): Problem[] => {
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') {
      const known = suggested < SUGGESTED_MAX ? fieldsAt(schema, path) : [];
      return issue.keys.map((key) => {
        const hint = (suggested += 1) <= SUGGESTED_MAX ? didYouMean(key, known) : '';
        return { path: [...path, key], message: `is not a field of this kind${hint}`, kind: 'unknown', hint };
      });
    }
    return [{ path, message: issueMessage(issue, valueAt(raw, path)), kind: 'type' }];
  });
}

/** Parts to remove from a value: all of it, or the values of its keys. */
interface Cut {
  whole: boolean;
  readonly under: Map<PathSegment, Cut>;
}

const newCut = (): Cut => ({ whole: false, under: new Map() });

function cutOf(paths: readonly Path[]): Cut {
  const root = newCut();
  for (const path of paths) {
    let cut = root;
    for (const segment of path) {
      const next = cut.under.get(segment) ?? newCut();
      cut.under.set(segment, next);
      cut = next;
    }
    cut.whole = true;
  }
  return root;
}

/** A copy of `value` without what is cut, made in one pass however much that is. List entries become undefined, so that the others keep their index. */
function without(value: unknown, cut: Cut): unknown {
  if (cut.whole) return undefined;
  const inner = (item: unknown, segment: PathSegment) => {
    const next = cut.under.get(segment);
    return next ? without(item, next) : item;
  };
  if (Array.isArray(value)) return value.map(inner);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !cut.under.get(key)?.whole);
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of kept) copy[key] = inner(item, key);
  return copy;
}

/** Removes a bad value together with the list entry that contains it: a list with a hole would not parse. */
function removalPath(path: Path): Path {
  const inList = path.findIndex((segment) => typeof segment === 'number');
  return inList < 0 ? path : path.slice(0, inList);
}

interface Structure {
  readonly value: unknown;
  readonly parsed: unknown;
  readonly types: readonly Problem[];
  readonly unknown: readonly Problem[];
}

/** A null stands for an absent field or map entry, as YAML writes it; a list has no absent entries. */
function isAbsent(value: unknown, path: Path): boolean {
  return typeof path.at(-1) === 'string' && valueAt(value, path) === null;
}

function parseStructure(schema: z.ZodType, raw: unknown): Structure {
  let value = raw;
  const types: Problem[] = [];
  const unknown: Problem[] = [];
  const reported = new Set<string>();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const result = schema.safeParse(value);
    if (result.success) return { value, parsed: result.data, types, unknown };
    const problems = problemsOf(result.error.issues, value, schema);
    const later = types.length;
    for (const problem of problems) {
      if (problem.kind === 'unknown') unknown.push(problem);
      // A required field whose bad value an earlier round removed is missing now.
      else if (!isAbsent(value, problem.path) && !reported.has(specPath(problem.path))) types.push(problem);
    }
    for (const { path } of types.slice(later)) reported.add(specPath(path));
    const whole = value;
    const alone = (problem: Problem) => problem.kind === 'unknown' || isAbsent(whole, problem.path);
    value = without(whole, cutOf(problems.map((problem) => (alone(problem) ? problem.path : removalPath(problem.path)))));
    if (!isObject(value)) value = {};
  }
  return { value, parsed: undefined, types, unknown };
}

/**
 * Parts of `raw` that fit the schema, parsed, and every value that has a wrong type. Fields of a later version are left out in silence.
 * Total: `empty` is parsed where nothing fits.
 */
export function fittingParts(schema: z.ZodType, raw: unknown, empty: object): { value: unknown; problems: readonly FieldError[] } {
  const { parsed, types } = parseStructure(schema, raw ?? {});
  const problems = types.map(({ path, message }) => ({ path: specPath(path), message }));
  return { value: parsed ?? schema.parse(empty), problems };
}

/** Appends an error for each required field that is missing under a value. */
type RequiredCheck = (value: unknown, path: Path, errors: FieldError[]) => void;

/** Compiled once per schema, `undefined` for one that requires nothing: most of a spec then costs nothing to check. */
const requiredChecks = new WeakMap<z.ZodType, RequiredCheck | undefined>();

function requiredCheck(schema: z.ZodType): RequiredCheck | undefined {
  if (!requiredChecks.has(schema)) requiredChecks.set(schema, compileRequired(schema));
  return requiredChecks.get(schema);
}

function compileRequired(schema: z.ZodType): RequiredCheck | undefined {
  const shape = shapeOf(schema);
  if (shape.type === 'object') return compileFields(shape.fields);
  if (shape.type === 'list') {
    const item = requiredCheck(shape.item);
    if (!item) return undefined;
    return (value, path, errors) => Array.isArray(value) && value.forEach((entry, index) => item(entry, [...path, index], errors));
  }
  if (shape.type !== 'map') return undefined;
  const entry = requiredCheck(shape.value);
  if (!entry) return undefined;
  return (value, path, errors) => isObject(value) && Object.entries(value).forEach(([key, inner]) => entry(inner, [...path, key], errors));
}

function compileFields(fields: Readonly<Record<string, z.ZodType>>): RequiredCheck | undefined {
  const checks = Object.entries(fields)
    .map(([name, field]) => ({ name, required: metaOf(field).required === true, inner: requiredCheck(field) }))
    .filter(({ required, inner }) => required || inner !== undefined);
  if (checks.length === 0) return undefined;
  return (value, path, errors) => {
    if (!isObject(value)) return;
    for (const { name, required, inner } of checks) {
      if (required && isEmpty(value[name])) errors.push({ path: specPath([...path, name]), message: 'is required' });
      else inner?.(value[name], [...path, name], errors);
    }
  };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Whether `path` is, contains or is inside `bad`: problems of rules there only follow from the bad value. */
function touches(path: string, bad: string): boolean {
  const under = (inner: string, outer: string) => inner === outer || (inner.startsWith(outer) && /^[.[]/.test(inner.slice(outer.length)));
  return under(path, bad) || under(bad, path);
}

function withoutRepeats(errors: readonly FieldError[]): FieldError[] {
  const seen = new Set<string>();
  return errors.filter(({ path, message }) => !seen.has(`${path}\n${message}`) && seen.add(`${path}\n${message}`));
}

function unknownErrors(problems: readonly Problem[]): FieldError[] {
  const more = problems.length - UNKNOWN_SHOWN_MAX;
  const shown = problems.slice(0, UNKNOWN_SHOWN_MAX).map(({ path, message }) => ({ path: specPath(path), message }));
  return more > 0 ? [...shown, { path: ROOT, message: `has ${more} more fields that this kind does not have` }] : shown;
}

/** Checks and normalises a spec. Reports all problems at once, except those that follow from another one. */
export function checkSpec<Spec>(
  kind: KindDefinition<Spec>,
  raw: unknown,
  options: { readonly context: RuleContext; readonly unknownFields: 'reject' | 'drop' },
): SpecCheck<Spec> {
  const oversize = entryErrors(kind.spec, raw);
  if (oversize.length > 0) return { spec: {} as Spec, errors: oversize, unknown: [] };
  const structure = parseStructure(kind.spec, raw ?? {});
  const bad = structure.types.map((problem) => ({ path: specPath(problem.path), message: problem.message }));
  const unknown = structure.unknown.map(({ path, hint = '' }) => ({ path: specPath(path), hint }));
  const refused = options.unknownFields === 'reject' ? unknownErrors(structure.unknown) : [];
  const errors: FieldError[] = [...bad, ...refused];
  if (structure.parsed === undefined) return { spec: {} as Spec, errors: withoutRepeats(errors), unknown: [] };
  const spec = kind.normalize(structure.parsed, options.context);
  const required: FieldError[] = [];
  requiredCheck(kind.spec)?.(spec, [], required);
  const missing = new Set(required.map(({ path }) => path));
  const rules = kind.validate(spec, options.context).filter((error) => !missing.has(error.path));
  if (bad.length <= BAD_JUDGED_MAX) {
    const removed = [...bad.map((b) => b.path), ...structure.types.map((problem) => specPath(removalPath(problem.path)))];
    // One by one, as everywhere here: a spread of a very long list into a call exhausts the stack.
    for (const error of [...required, ...rules])
      if (!removed.some((path) => path !== ROOT && touches(error.path, path))) errors.push(error);
  }
  return { spec, errors: withoutRepeats(errors), unknown: options.unknownFields === 'drop' ? unknown : [] };
}
