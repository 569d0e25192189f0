// One object beside the system: its draft, or the stored object until somebody edits it.
import type { Resource, ResourceKey } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { sameForEditing } from '../../../editor/apply-plan.ts';
import { isNewer } from '../../../editor/use-edited-text.ts';
import { api } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import type { YamlPath } from '../../../yaml/path-text.ts';
import { draftId, draftOf, withDraft, withField, withoutDraft, type DraftObject } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';

export interface Draftable {
  /** Undefined while the stored object loads, and when there is none. */
  readonly draft: DraftObject | undefined;
  /** Whether it differs from the stored object. */
  readonly edited: boolean;
  /** Change of the stored object by others since the draft began: the review merges both. */
  readonly overtaken: 'changed' | 'deleted' | undefined;
  /** Sets one field, or removes it. Quick steps of one group are one undo step. */
  readonly set: (path: YamlPath, value: unknown, step: { readonly label: string; readonly group?: string }) => void;
  /** Replaces the whole text, as the YAML editor does. */
  readonly write: (text: string) => void;
  /** Returns to the stored object. */
  readonly revert: () => void;
}

function overtakenBy(base: Resource, stored: Resource | undefined, error: unknown): Draftable['overtaken'] {
  // The data of a deleted object stays beside the error.
  if (error !== null && problemOf(error).code === 'not_found') return 'deleted';
  return stored && isNewer(stored, base) && !sameForEditing(stored, base) ? 'changed' : undefined;
}

export function useDraftable(design: Design, { kind, namespace, name }: ResourceKey): Draftable {
  const id = draftId({ kind, namespace, name });
  const drafted = design.drafts.get(id);
  const base = drafted?.base;
  const isStored = drafted === undefined || base !== undefined;
  const { data, error } = useQuery({ ...api.resources.get.queryOptions({ kind, namespace, name }), enabled: isStored, retry: false });
  const overtaken = base && overtakenBy(base, data, error);
  const draft = useMemo(() => drafted ?? (data && draftOf(data)), [drafted, data]);
  const { edit } = design;
  return useMemo(() => {
    const change = (label: string, next: (before: DraftObject) => DraftObject, group?: string) => {
      if (draft) edit(label, ({ drafts }) => ({ drafts: withDraft(drafts, next(drafts.get(id) ?? draft)) }), group);
    };
    return {
      draft,
      edited: drafted !== undefined,
      overtaken,
      set: (path, value, { label, group }) => change(label, (before) => withField(before, path, value), group),
      write: (text) => change(`Edit ${name}`, (before) => ({ ...before, text }), `text ${id}`),
      revert: () => edit(`Discard the changes of ${name}`, ({ drafts }) => ({ drafts: withoutDraft(drafts, id) })),
    };
  }, [draft, drafted, overtaken, edit, id, name]);
}
