// A new name for an agent that is not stored: in the text of the system, in its draft, and in the drafts that refer to it. Pure.
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { parseRef, type ResourceKey } from '@svc/shared/resource';
import { editedText } from '../../../yaml/edit-document.ts';
import { memberAt, type DocumentEdit } from '../../../yaml/edit-value.ts';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';
import { renameEdits, type Holder, type Rename } from '../../explorer/model/rename-plan.ts';
import { draftId, type DraftObject, type Drafts } from './drafts.ts';

export interface RenameParts {
  readonly namespace: string;
  /** The agent as the system names it. */
  readonly agent: string;
  readonly to: string;
  readonly definitionOf: (kind: string) => KindDefinition | undefined;
}

/** The agent under its new name, as a system names it. */
export const renamedId = (agent: string, to: string): string => (agent.includes('/') ? `${parseRef(agent, '').namespace}/${to}` : to);

/** Throws `invalid` for a text that is no object of its kind, unless it does not have the name at all. */
function editsOf(text: string, key: ResourceKey, { rename, definitionOf }: { rename: Rename } & Pick<RenameParts, 'definitionOf'>) {
  const value = onlyValueOf(text)?.value;
  const definition = definitionOf(key.kind);
  if (!definition || !isObject(value) || !definition.spec.safeParse(value['spec']).success) {
    if (!text.includes(rename.from.name)) return [];
    const what = key.name === '' ? 'The system' : `${key.kind} ${key.name}`;
    throw new ServiceError('invalid', `${what} does not match its schema. Fix its problems first: its references cannot be changed`);
  }
  const annotations = memberAt(value, ['metadata', 'annotations']) as Holder['metadata']['annotations'] | undefined;
  return renameEdits({ metadata: { ...key, annotations: annotations ?? {} }, spec: value['spec'] as Holder['spec'] }, definition, rename);
}

/** Throws `invalid` where a text cannot follow. */
export function renameAgent(
  { text, drafts }: { readonly text: string; readonly drafts: Drafts },
  { namespace, agent, to, definitionOf }: RenameParts,
): { readonly text: string; readonly drafts: Drafts } {
  const from = { kind: 'Agent', ...parseRef(agent, namespace) };
  const rename = { from, to };
  const own: DocumentEdit = { op: 'set', path: ['metadata', 'name'], value: to };
  const renamedDraft = (draft: DraftObject): DraftObject => {
    if (draftId(draft) === draftId(from)) return { ...draft, name: to, text: editedText(draft.text, own) };
    const edits = editsOf(draft.text, draft, { rename, definitionOf });
    return edits.length === 0 ? draft : { ...draft, text: editedText(draft.text, ...edits) };
  };
  const system = { kind: 'AgentSystem', namespace, name: '' };
  return {
    text: editedText(text, ...editsOf(text, system, { rename, definitionOf })),
    drafts: new Map([...drafts.values()].map(renamedDraft).map((draft) => [draftId(draft), draft])),
  };
}
