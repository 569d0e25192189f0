// Limits of retention: their syntax in `--task-retention` and flags of its form, and the rule that says when a finished object may go. Pure.
import { parseLongDuration } from '@svc/shared/duration';
import { namespaceProblem } from '@svc/shared/resource';
import type { StoredObject } from '../../store/store.ts';

/** A finished Task is deleted when it exceeds either limit. */
export interface RetentionLimits {
  /** Longest time since the end. */
  readonly ageMs?: number;
  /** Newest finished Tasks, by creation, that stay in each namespace. */
  readonly count?: number;
}

export interface TaskRetention {
  /** Limits of every namespace without its own. Absent: such a namespace keeps everything. */
  readonly general?: RetentionLimits;
  /** Limits that replace the general ones in one namespace. */
  readonly namespaces: ReadonlyMap<string, RetentionLimits>;
}

/** Annotation of a Task: `keep`, or a duration that it stays at least after its end, whatever the limits say. */
const RETENTION_ANNOTATION = 'svc.dev/task-retention';

const COUNT = /^[1-9]\d{0,8}$/;
const GENERAL = '';

/** Parses the value of the flag: the limits, or an error sentence. */
export function parseRetention(text: string): TaskRetention | string {
  const found = new Map<string, RetentionLimits>();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [, namespace = GENERAL, value = ''] = /^(?:([^=]*)=)?(.*)$/s.exec(entry) ?? [];
    const problem = entry.includes('=') ? namespaceProblem(namespace) : undefined;
    if (problem !== undefined) return `The namespace of "${entry}" ${problem}.`;
    const limit = parseLimit(value);
    if (!limit) return `"${entry}" must be a duration above zero or a count of at least 1, such as 30d, 10000 or team-a=24h.`;
    const before = found.get(namespace);
    const [name] = Object.keys(limit);
    if (before && name !== undefined && name in before) return `"${entry}" gives a second limit of its kind.`;
    found.set(namespace, { ...before, ...limit });
  }
  const general = found.get(GENERAL);
  found.delete(GENERAL);
  return { namespaces: found, ...(general && { general }) };
}

function parseLimit(text: string): RetentionLimits | undefined {
  if (COUNT.test(text)) return { count: Number(text) };
  const ageMs = parseLongDuration(text);
  return ageMs !== undefined && ageMs > 0 ? { ageMs } : undefined;
}

export function limitsOf({ general, namespaces }: TaskRetention, namespace: string): RetentionLimits | undefined {
  return namespaces.get(namespace) ?? general;
}

/** A finished object, and when it ended. */
export interface EndedObject {
  readonly object: StoredObject;
  /** RFC 3339; one that cannot be read counts from the last write. */
  readonly completedAt: string | undefined;
}

/** Moment (ms) from which a finished object may go; Infinity: never. `surplus`: more newer objects exist than the count that stays. */
export function dueAt({ object, completedAt }: EndedObject, { ageMs = Infinity }: RetentionLimits, surplus: boolean): number {
  const completed = Date.parse(completedAt ?? '');
  const ended = Number.isNaN(completed) ? Date.parse(object.updatedAt) : completed;
  return Math.max(ended + keptMs(object), surplus ? ended : ended + ageMs);
}

/** An annotation that cannot be read keeps the Task: nothing is deleted by mistake. */
function keptMs({ annotations }: StoredObject): number {
  const text = annotations[RETENTION_ANNOTATION];
  return text === undefined ? 0 : (parseLongDuration(text) ?? Infinity);
}
