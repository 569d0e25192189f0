// Turns a spec as a client sent it into the one that is stored, or into every problem it has, each at its path. Pure.
import type { z } from 'zod';
import type { FieldError } from '../errors.ts';
import { isObject } from '../json.ts';
import type { KindDefinition, RuleContext } from './define.ts';
import { metaOf, shapeOf } from './schema-walk.ts';

export interface SpecCheck<Spec> {
  /** The normalised spec; meaningful only when `errors` is empty. */
  readonly spec: Spec;
  readonly errors: readonly FieldError[];
  /** Paths of fields the kind does not have, with `drop` only; they are not in `spec`. */
  readonly unknown: readonly string[];
}

type Segment = string | number;
type Path = readonly Segment[];

interface Problem {
  readonly path: Path;
  readonly message: string;
  readonly kind: 'type' | 'unknown';
}

const ROOT = 'spec';
/** A round removes what does not fit and parses again; one round is enough unless a removal uncovers something. */
const ROUNDS_MAX = 4;

function pathText(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return /^[A-Za-z_][\w-]*$/.test(segment) ? `${text}.${segment}` : `${text}[${JSON.stringify(segment)}]`;
  }, ROOT);
}

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

function issueMessage(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code !== 'invalid_type') return issue.message;
  const expected = EXPECTED[issue.expected] ?? `a ${issue.expected}`;
  if (issue.expected === 'int' && typeof value === 'number') return `must be a whole number, not ${value}`;
  return `must be ${expected}, not ${typeName(value)}`;
}

function problemsOf(issues: readonly z.core.$ZodIssue[], raw: unknown): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a field of this kind', kind: 'unknown' }));
    }
    return [{ path, message: issueMessage(issue, valueAt(raw, path)), kind: 'type' }];
  });
}

/** A copy of `value` without what stands at `path`. List entries become undefined, so that the others keep their index. */
function without(value: unknown, path: Path): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return undefined;
  if (Array.isArray(value)) return value.map((item: unknown, index) => (index === head ? without(item, rest) : item));
  if (!isObject(value) || !Object.hasOwn(value, head)) return value;
  const copy = Object.assign(Object.create(null) as Record<string, unknown>, value);
  if (rest.length === 0) delete copy[head];
  else copy[head] = without(copy[head], rest);
  return copy;
}

/** Removes a bad value together with the list entry it stands in: a list with a hole would not parse. */
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

function parseStructure(schema: z.ZodType, raw: unknown): Structure {
  let value = raw;
  const types: Problem[] = [];
  const unknown: Problem[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const result = schema.safeParse(value);
    if (result.success) return { value, parsed: result.data, types, unknown };
    const problems = problemsOf(result.error.issues, value);
    for (const problem of problems) {
      // A null stands for an absent field; YAML writes it so.
      if (problem.kind === 'type' && problem.path.length > 0 && valueAt(value, problem.path) === null) continue;
      (problem.kind === 'type' ? types : unknown).push(problem);
    }
    for (const problem of problems) {
      const absent = problem.kind === 'unknown' || valueAt(value, problem.path) === null;
      value = without(value, absent && typeof problem.path.at(-1) !== 'number' ? problem.path : removalPath(problem.path));
    }
    if (!isObject(value)) value = {};
  }
  return { value, parsed: undefined, types, unknown };
}

function missing(schema: z.ZodType, value: unknown, path: Path): FieldError[] {
  const shape = shapeOf(schema);
  if (shape.type === 'list' && Array.isArray(value)) return value.flatMap((item, index) => missing(shape.item, item, [...path, index]));
  if (shape.type === 'map' && isObject(value))
    return Object.entries(value).flatMap(([key, item]) => missing(shape.value, item, [...path, key]));
  if (shape.type !== 'object' || !isObject(value)) return [];
  return Object.entries(shape.fields).flatMap(([name, field]) => {
    const at = [...path, name];
    const inner = value[name];
    const empty = inner === undefined || inner === '' || (Array.isArray(inner) && inner.length === 0);
    if (metaOf(field).required && empty) return [{ path: pathText(at), message: 'is required' }];
    return missing(field, inner, at);
  });
}

/** Whether `path` is `bad` or stands under or above it: what rules say there only follows from the bad value. */
function touches(path: string, bad: string): boolean {
  const under = (inner: string, outer: string) => inner === outer || (inner.startsWith(outer) && /^[.[]/.test(inner.slice(outer.length)));
  return under(path, bad) || under(bad, path);
}

function withoutRepeats(errors: readonly FieldError[]): FieldError[] {
  const seen = new Set<string>();
  return errors.filter(({ path, message }) => !seen.has(`${path}\n${message}`) && seen.add(`${path}\n${message}`));
}

/** Checks and normalises a spec. Everything that is wrong is reported at once; nothing is said about what only follows from something else. */
export function checkSpec<Spec>(
  kind: KindDefinition<Spec>,
  raw: unknown,
  options: { readonly context: RuleContext; readonly unknownFields: 'reject' | 'drop' },
): SpecCheck<Spec> {
  const structure = parseStructure(kind.spec, raw ?? {});
  const bad = structure.types.map((problem) => ({ path: pathText(problem.path), message: problem.message }));
  const unknown = structure.unknown.map((problem) => pathText(problem.path));
  const errors: FieldError[] = [...bad];
  if (options.unknownFields === 'reject') errors.push(...structure.unknown.map(({ path, message }) => ({ path: pathText(path), message })));
  if (structure.parsed === undefined) return { spec: {} as Spec, errors: withoutRepeats(errors), unknown: [] };
  const spec = kind.normalize(structure.parsed as Spec, options.context);
  const required = missing(kind.spec, spec, []);
  const rules = kind.validate(spec, options.context).filter((error) => !required.some((r) => r.path === error.path));
  const removed = [...bad.map((b) => b.path), ...structure.types.map((problem) => pathText(removalPath(problem.path)))];
  errors.push(...[...required, ...rules].filter((error) => !removed.some((path) => path !== ROOT && touches(error.path, path))));
  return { spec, errors: withoutRepeats(errors), unknown: options.unknownFields === 'drop' ? unknown : [] };
}
