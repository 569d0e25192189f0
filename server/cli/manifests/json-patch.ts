// RFC 6902 JSON patch over a value, and the RFC 7386 merge patch that leads from one value to another. Pure.
import { isObject, jsonEquals } from '@svc/shared/json';
import { CliError, usageError } from '../program/exit-codes.ts';
import { oneLine } from '../output/text-width.ts';

const OPERATIONS_MAX = 1_000;
const RESULT_MAX_CHARS = 2_000_000;
const VALUE_SHOWN_CHARS = 200;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

type Container = Record<string, unknown> | unknown[];

const sentence = (at: number, problem: string) => `operation ${at + 1} of the JSON patch ${problem}`;
const wrong = (at: number, problem: string) => usageError(sentence(at, problem));

function operationsOf(patch: unknown): Operation[] {
  const example = 'such as [{"op":"replace","path":"/spec/prompt","value":"…"}]';
  if (!Array.isArray(patch)) throw usageError('a JSON patch is a list of operations', example);
  if (patch.length > OPERATIONS_MAX) throw usageError(`a JSON patch has at most ${OPERATIONS_MAX} operations`);
  return patch.map((operation: unknown, at) => {
    if (!isObject(operation) || typeof operation['op'] !== 'string' || typeof operation['path'] !== 'string')
      throw wrong(at, `has no "op" or no "path"; write it ${example}`);
    return operation as unknown as Operation;
  });
}

function segmentsOf(pointer: string, at: number): string[] {
  if (pointer !== '' && !pointer.startsWith('/')) throw wrong(at, `has the path "${pointer}", which does not begin with "/"`);
  const segments = pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (segments.includes('__proto__')) throw wrong(at, 'names "__proto__", which no object may have');
  return segments;
}

/** Runs the operations of a JSON patch one after the other over a copy. A failing one, `test` included, throws; its message has values unless they are secret. */
export function applyJsonPatch(value: unknown, patch: unknown, { secret = false } = {}): unknown {
  const root: { value: unknown } = { value: structuredClone(value) };
  const shown = (each: unknown) => oneLine(JSON.stringify(each), VALUE_SHOWN_CHARS);
  const difference = (found: unknown, wanted: unknown) => (secret ? 'not the given one' : `${shown(found)}, not ${shown(wanted)}`);
  operationsOf(patch).forEach((operation, at) => new Step(root, operation, { at, difference }).run());
  return root.value;
}

interface StepFacts {
  readonly at: number;
  /** Words for a value that is not the wanted one. */
  readonly difference: (found: unknown, wanted: unknown) => string;
}

class Step {
  readonly #root: { value: unknown };
  readonly #operation: Operation;
  readonly #at: number;
  readonly #difference: StepFacts['difference'];

  constructor(root: { value: unknown }, operation: Operation, { at, difference }: StepFacts) {
    this.#root = root;
    this.#operation = operation;
    this.#at = at;
    this.#difference = difference;
  }

  run(): void {
    const { op, path, value } = this.#operation;
    if (['add', 'replace', 'test'].includes(op) && value === undefined) throw this.#wrong('has no "value"');
    if (op === 'add') return this.#add(path, structuredClone(value));
    if (op === 'remove') return void this.#remove(path);
    if (op === 'replace') {
      this.#remove(path);
      return this.#add(path, structuredClone(value));
    }
    if (op === 'test') {
      const found = this.#read(path);
      if (!jsonEquals(found, value)) throw this.#unfit(`failed: the value at "${path}" is ${this.#difference(found, value)}`);
      return;
    }
    if (op !== 'move' && op !== 'copy') throw this.#wrong(`is "${op}"; there are add, remove, replace, move, copy and test`);
    this.#transfer(op, path);
  }

  #transfer(op: 'move' | 'copy', path: string): void {
    const { from } = this.#operation;
    if (typeof from !== 'string') throw this.#wrong('has no "from"');
    if (op === 'move' && path.startsWith(`${from}/`)) throw this.#wrong('moves a value into itself');
    this.#add(path, op === 'move' ? this.#remove(from) : structuredClone(this.#read(from)));
    if (op === 'copy' && JSON.stringify(this.#root.value).length > RESULT_MAX_CHARS) throw this.#wrong('makes the object too large');
  }

  #wrong(problem: string) {
    return wrong(this.#at, problem);
  }

  /** A correct operation that does not fit the object. */
  #unfit(problem: string) {
    return new CliError(sentence(this.#at, problem));
  }

  #missing(path: string) {
    return this.#unfit(`has the path "${path}", which does not exist`);
  }

  /** The container that holds the last segment, and that segment; undefined for the whole value. */
  #place(path: string): { holder: Container; key: string } | undefined {
    const segments = segmentsOf(path, this.#at);
    const key = segments.pop();
    if (key === undefined) return undefined;
    const holder = segments.reduce((node, segment) => this.#child(node, segment, path), this.#root.value);
    if (!isObject(holder) && !Array.isArray(holder)) throw this.#missing(path);
    return { holder, key };
  }

  #child(node: unknown, key: string, path: string): unknown {
    if (Array.isArray(node)) return node[this.#index(key, node.length - 1, path)] as unknown;
    if (isObject(node) && Object.hasOwn(node, key)) return node[key];
    throw this.#missing(path);
  }

  /** Parses an array index from 0 to `end`; `path` is the path of the operation, for errors. */
  #index(key: string, end: number, path: string): number {
    const index = /^(?:0|[1-9]\d{0,8})$/.test(key) ? Number(key) : Number.NaN;
    if (index <= end) return index;
    throw this.#missing(path);
  }

  #read(path: string): unknown {
    const place = this.#place(path);
    return place ? this.#child(place.holder, place.key, path) : this.#root.value;
  }

  #add(path: string, value: unknown): void {
    const place = this.#place(path);
    if (!place) this.#root.value = value;
    else if (Array.isArray(place.holder)) {
      const { holder, key } = place;
      holder.splice(key === '-' ? holder.length : this.#index(key, holder.length, path), 0, value);
    } else place.holder[place.key] = value;
  }

  #remove(path: string): unknown {
    const removed = this.#read(path);
    const place = this.#place(path);
    if (!place) this.#root.value = null;
    else if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 1);
    else delete place.holder[place.key];
    return removed;
  }
}

/** The merge patch that makes `after` out of `before`; undefined when they are equal. */
export function patchBetween(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return jsonEquals(before, after) ? undefined : after;
  const changes = Object.entries(after).map(([key, value]): [string, unknown] => [
    key,
    Object.hasOwn(before, key) ? patchBetween(before[key], value) : value,
  ]);
  const removals = Object.keys(before)
    .filter((key) => !Object.hasOwn(after, key))
    .map((key): [string, unknown] => [key, null]);
  const patch = [...changes, ...removals].filter(([, value]) => value !== undefined);
  return patch.length > 0 ? Object.fromEntries(patch) : undefined;
}

export interface PatchConflict {
  readonly path: string;
  /** Value that the other patch sets; null removes. */
  readonly theirs: unknown;
}

/** Paths that two merge patches set to different values. */
export function patchConflicts(mine: unknown, theirs: unknown, path = ''): PatchConflict[] {
  if (!isObject(mine) || !isObject(theirs)) return jsonEquals(mine, theirs) ? [] : [{ path, theirs }];
  return Object.keys(mine).flatMap((key) =>
    Object.hasOwn(theirs, key) ? patchConflicts(mine[key], theirs[key], path ? `${path}.${key}` : key) : [],
  );
}
