// Objects that are written as one apply: their documents, what each is meant for, and how the apply is undone. Pure.
import { isObject } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { sameForEditing } from '../../../editor/apply-plan.ts';
import { memberAt } from '../../../yaml/edit-value.ts';
import { editable, objectYaml, readObject, redactedPaths } from '../../../yaml/serialise.ts';
import { draftId, keyProblem, type DraftObject } from '../document/drafts.ts';

type Precondition = { readonly mustNotExist: true } | { readonly uid: string; readonly resourceVersion: string };

export interface ObjectProblem {
  /** By `draftId`. */
  readonly id: string;
  readonly message: string;
}

export interface ApplyRequest {
  readonly documents: readonly unknown[];
  readonly preconditions: readonly Precondition[];
}

function preconditionOf({ base }: DraftObject): Precondition {
  return base ? { uid: base.metadata.uid, resourceVersion: base.metadata.resourceVersion } : { mustNotExist: true };
}

/** The request for these objects, or what keeps them from being sent. */
export function requestFor(objects: readonly DraftObject[]): ApplyRequest | { readonly problems: readonly ObjectProblem[] } {
  const problems: ObjectProblem[] = [];
  const documents = objects.map((object) => {
    const id = draftId(object);
    const read = readObject(object.text);
    if ('errors' in read) {
      problems.push({ id, message: `Line ${read.errors[0]?.line ?? 1}: ${read.errors[0]?.message ?? 'cannot be read'}` });
      return undefined;
    }
    const renamed = keyProblem(object);
    if (renamed) problems.push({ id, message: `${renamed.path} ${renamed.message}` });
    for (const path of redactedPaths(read.body)) problems.push({ id, message: `${path} is ***, the placeholder of a hidden value` });
    return read.body;
  });
  return problems.length > 0 ? { problems } : { documents, preconditions: objects.map(preconditionOf) };
}

/** `documents[2].spec.tools[0]` → the object of that document, and the rest of the path. */
export function problemOfObject(
  objects: readonly DraftObject[],
  { path, message }: { readonly path: string; readonly message: string },
): ObjectProblem | undefined {
  const [, index, rest = ''] = /^documents\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
  const object = index === undefined ? undefined : objects[Number(index)];
  return object && { id: draftId(object), message: rest === '' ? message : `${rest} ${message}` };
}

/** Text of an object in a review: the values of a Secret stay hidden. */
export function shownText({ kind, text }: Pick<DraftObject, 'kind' | 'text'>): string {
  if (kind !== 'Secret') return text;
  const read = readObject(text);
  const data = 'body' in read ? memberAt(read.body, ['spec', 'stringData']) : undefined;
  const keys = isObject(data) ? Object.keys(data) : [];
  return `# ${keys.length === 1 ? 'One value is' : `${keys.length} values are`} set; none is shown.\n${keys.map((key) => `${key}: ***`).join('\n')}\n`;
}

export const storedText = ({ base }: DraftObject): string => (base ? objectYaml(base) : '');

/** One object of an apply, before and after it. */
export interface AppliedObject {
  readonly before: Resource | undefined;
  readonly after: Resource;
}

/** The apply that undoes another apply. `now` holds the current objects; returns the name of one that changed since. */
export function undoOf(applied: readonly AppliedObject[], now: readonly (Resource | undefined)[]) {
  const changed = applied.flatMap(({ after }, index) => {
    const current = now[index];
    return current?.metadata.uid === after.metadata.uid && sameForEditing(current, after) ? [] : [`${after.kind} ${after.metadata.name}`];
  });
  if (changed.length > 0) return { changed };
  const versionOf = (index: number) => ({
    uid: now[index]?.metadata.uid ?? '',
    resourceVersion: now[index]?.metadata.resourceVersion ?? '',
  });
  const restored = applied.flatMap(({ before }, index) => (before ? [{ document: editable(before), precondition: versionOf(index) }] : []));
  // In reverse: what refers to others goes first.
  const removals = applied
    .flatMap(({ before, after: { kind, metadata } }, index) =>
      before ? [] : [{ kind, namespace: metadata.namespace, name: metadata.name, ...versionOf(index) }],
    )
    .reverse();
  return {
    documents: restored.map(({ document }) => document),
    preconditions: restored.map(({ precondition }) => precondition),
    removals,
  };
}
