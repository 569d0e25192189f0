// Drafted objects kept in this browser between visits, beside the draft of their system. Secrets are never kept.
import { isObject } from '@svc/shared/json';
import { API_VERSION, type Resource, type ResourceKey } from '@svc/shared/resource';
import { useEffect, useMemo, useRef } from 'react';
import { useDraft, type DraftState } from '../../../editor/use-draft.ts';
import { baseOfDraft } from '../../../editor/use-edited-text.ts';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { toastError } from '../../../ui/overlay/toast.ts';
import { objectYaml, splitDocuments } from '../../../yaml/serialise.ts';
import { draftId, inReadingOrder, type DraftObject, type Drafts } from './drafts.ts';

const MARK = '---\n';

/** All drafts but Secrets, as one text of several documents. */
function keptText(drafts: Drafts): string {
  return inReadingOrder(drafts)
    .filter(({ kind }) => kind !== 'Secret')
    .map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`))
    .join(MARK);
}

function baseTexts(drafts: Drafts): string {
  return inReadingOrder(drafts)
    .flatMap(({ kind, base }) => (base && kind !== 'Secret' ? [objectYaml(base)] : []))
    .join(MARK);
}

const word = (value: unknown) => (typeof value === 'string' ? value : '');

/** Name of an object whose YAML cannot be read, from the lines that begin it. */
function namedIn(text: string): Pick<ResourceKey, 'kind' | 'namespace' | 'name'> {
  const after = (start: string) => new RegExp(`^${start}: (\\S+)$`, 'm').exec(text)?.[1] ?? '';
  return { kind: after('kind'), namespace: after(' {2}namespace'), name: after(' {2}name') };
}

/** The documents of a kept text, by their objects. */
function keptObjects(text: string): readonly (ResourceKey & { readonly text: string })[] {
  return splitDocuments(text).flatMap(({ value, text: document }) => {
    const metadata = isObject(value?.['metadata']) ? value['metadata'] : {};
    const read = { kind: word(value?.['kind']), namespace: word(metadata['namespace']), name: word(metadata['name']) };
    const { kind, namespace, name } = value ? read : namedIn(document);
    return kind === '' || namespace === '' || name === '' ? [] : [{ kind, namespace, name, text: document }];
  });
}

function deletedObject({ kind, namespace, name }: ResourceKey): Resource {
  const times = { createdAt: '', updatedAt: '' };
  const metadata = { name, namespace, uid: 'deleted', resourceVersion: '0', generation: 0, labels: {}, annotations: {}, ...times };
  return { apiVersion: API_VERSION, kind, metadata, spec: {}, status: {} };
}

/** The stored object that a draft began from may have changed or been deleted since; the review then finds this. */
async function restored(text: string, baseText: string): Promise<Drafts> {
  const bases = new Map(keptObjects(baseText).map((each) => [draftId(each), each.text]));
  const drafts = await Promise.all(
    keptObjects(text).map(async (object): Promise<DraftObject> => {
      const base = bases.get(draftId(object));
      if (base === undefined) return object;
      const { kind, namespace, name } = object;
      const current = await client.resources.get.query({ kind, namespace, name }).catch((error: unknown) => {
        if (problemOf(error).code !== 'not_found') throw error;
        return deletedObject(object);
      });
      const same = objectYaml(current) === base;
      return { ...object, base: same ? current : baseOfDraft(base, current) };
    }),
  );
  return new Map(drafts.map((draft) => [draftId(draft), draft]));
}

export interface KeptDrafts {
  readonly draft: DraftState;
  readonly restore: () => void;
}

export function useKeptDrafts(
  system: { readonly namespace: string; readonly name: string | undefined },
  drafts: Drafts,
  onRestored: (drafts: Drafts) => void,
): KeptDrafts {
  const { namespace, name } = system;
  const target = useMemo(() => ({ kind: 'AgentSystem parts', namespace, name }), [namespace, name]);
  const text = useMemo(() => keptText(drafts), [drafts]);
  const baseText = useMemo(() => baseTexts(drafts), [drafts]);
  const draft = useDraft({ target, text, baseText, dirty: text !== '' });
  const had = useRef(false);
  const { forget } = draft;
  useEffect(() => {
    if (text === '' && had.current) forget();
    had.current = text !== '';
  }, [text, forget]);
  const restore = () => {
    const { offered } = draft;
    if (!offered) return;
    restored(offered.text, offered.baseText).then(
      (found) => {
        draft.restored();
        onRestored(found);
      },
      (error: unknown) => toastError('The drafted objects could not be restored', error),
    );
  };
  return { draft, restore };
}
