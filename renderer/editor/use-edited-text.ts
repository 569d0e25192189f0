// The text of an object while it is edited, and its base. Follows the object until it is edited.
import type { Resource } from '@svc/shared/resource';
import { useCallback, useEffect, useState } from 'react';
import { sameForEditing } from './apply-plan.ts';
import { objectYaml, readObject, type EditableObject } from '../yaml/serialise.ts';

export interface EditStart {
  readonly base: Resource | undefined;
  readonly baseText: string;
  readonly text: string;
  /** Grows when the base takes in a concurrent change. Earlier texts do not contain that change: an undo must not return to them. */
  readonly epoch: number;
}

export function beginWith(current: Resource | undefined, initialText: string | undefined): EditStart {
  const baseText = current ? objectYaml(current) : '';
  return { base: current, baseText, text: initialText ?? baseText, epoch: 0 };
}

/** The text on another base, which others may have changed. */
export function rebased(before: EditStart, next: Omit<EditStart, 'epoch'>): EditStart {
  const same =
    before.base === next.base || (before.base !== undefined && next.base !== undefined && sameForEditing(before.base, next.base));
  return { ...next, epoch: before.epoch + (same ? 0 : 1) };
}

/** Versions count up; another uid is another object of the same name. A late arrival is not newer. */
export function isNewer(current: Resource, base: Resource | undefined): boolean {
  if (!base) return false;
  if (current.metadata.uid !== base.metadata.uid) return true;
  return Number(current.metadata.resourceVersion) > Number(base.metadata.resourceVersion);
}

/** A version that no object has, and that every real one exceeds. */
const OUTDATED = '0';

/**
 * The base object of an old draft, when it differs from the current object, so that concurrent changes are detected. A matching version is
 * not a proof of identity, because an object that was deleted and created again counts from 1.
 */
export function baseOfDraft(baseText: string, current: Resource): Resource {
  const read = readObject(baseText);
  const body = 'body' in read ? (read.body as Partial<EditableObject>) : {};
  const { labels = {}, annotations = {} } = body.metadata ?? {};
  return {
    ...current,
    metadata: { ...current.metadata, labels, annotations, resourceVersion: OUTDATED },
    spec: (body.spec ?? {}) as Resource['spec'],
  };
}

/** The text, its base, and how both follow the object while nothing is edited. */
export function useEditedText(current: Resource | undefined, initialText: string | undefined) {
  const [begun, setBegun] = useState(() => beginWith(current, initialText));
  const dirty = begun.text !== (begun.base ? begun.baseText : (initialText ?? ''));
  const newer = current !== undefined && isNewer(current, begun.base);
  const same = newer && begun.base !== undefined && sameForEditing(current, begun.base);
  useEffect(() => {
    if (!newer) return;
    if (same) setBegun((before) => ({ ...before, base: current }));
    else if (!dirty) setBegun((before) => rebased(before, beginWith(current, undefined)));
  }, [newer, same, dirty, current]);
  const setText = useCallback((text: string) => setBegun((before) => ({ ...before, text })), []);
  return { begun, setBegun, dirty, setText, overtaken: newer && !same && dirty && begun.base !== undefined ? current : undefined };
}
