// Rules for every parsed document, in any syntax: bounded depth, finite numbers, whole Unicode, no key that could reach a prototype.
import { invalidFields, type ServiceError } from '@svc/shared/errors';

/** Objects and arrays within each other. No resource needs more than a dozen; recursion anywhere behind the parser stays far from the stack's end. */
export const DEPTH_MAX = 64;

/** The one key that assignment would turn into a prototype. Others (`constructor`, `prototype`) are stored as the plain keys they are. */
const FORBIDDEN_KEY = '__proto__';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Why a text cannot be stored unchanged, or undefined when it can. */
export function textProblem(text: string): string | undefined {
  return LONE_SURROGATE.test(text) ? 'holds an unpaired surrogate, which is not Unicode text' : undefined;
}

export function numberProblem(value: number): string | undefined {
  return Number.isFinite(value) ? undefined : 'is not a finite number, or is too large for one';
}

export function keyProblem(key: string): string | undefined {
  return key === FORBIDDEN_KEY ? `must not use the reserved key "${FORBIDDEN_KEY}"` : textProblem(key);
}

export function depthProblem(depth: number): string | undefined {
  return depth > DEPTH_MAX ? `is nested deeper than ${DEPTH_MAX} levels` : undefined;
}

/** Paths in messages stay short even when keys are absurd. */
const PATH_SHOWN_MAX = 200;

export function childPath(path: string, key: string | number): string {
  if (path.length > PATH_SHOWN_MAX) return path;
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key.slice(0, PATH_SHOWN_MAX) : `${path}.${key.slice(0, PATH_SHOWN_MAX)}`;
}

export function structureError(path: string, message: string): ServiceError {
  return invalidFields('The document', [{ path, message }]);
}

interface Pending {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

function scalarProblem(value: unknown): string | undefined {
  if (typeof value === 'string') return textProblem(value);
  return typeof value === 'number' ? numberProblem(value) : undefined;
}

function children({ value, path, depth }: Pending): Pending[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => ({ value: item, path: childPath(path, index), depth: depth + 1 }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, item]) => {
    const problem = keyProblem(key);
    if (problem !== undefined) throw structureError(path, problem);
    return { value: item as unknown, path: childPath(path, key), depth: depth + 1 };
  });
}

/** The number of keys. Throws `invalid` naming the first place that breaks a rule. Iterative, so that depth cannot exhaust the stack before it is measured. */
export function checkStructure(root: unknown): number {
  let keys = 0;
  const pending: Pending[] = [{ value: root, path: '', depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const nested = typeof next.value === 'object' && next.value !== null;
    const problem = nested ? depthProblem(next.depth + 1) : scalarProblem(next.value);
    if (problem !== undefined) throw structureError(next.path, problem);
    // One by one: a spread of a very long list exhausts the stack.
    if (!nested) continue;
    const inner = children(next);
    if (!Array.isArray(next.value)) keys += inner.length;
    for (const child of inner) pending.push(child);
  }
  return keys;
}
