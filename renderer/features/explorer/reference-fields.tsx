// Fields of a form that name other objects: buttons that create these without leaving the form, and the offered names.
import { parseRef } from '@svc/shared/resource';
import { useMemo, type ComponentType } from 'react';
import type { KindFormProps } from '../../editor/KindForm.tsx';
import { findNames, type FindNames } from '../../editor/live-names.ts';
import { kindNamed } from '../../kinds/kind-table.ts';
import { NewSecretButton } from '../sealing/parts/NewSecretButton.tsx';
import { findTemplates } from '../triggers/model/find-templates.ts';
import { NewTemplateButton } from '../triggers/parts/NewTemplateButton.tsx';

interface ReferencedKind {
  readonly kind: string;
  /** Only in forms of kinds of this area: a Task that a trigger names is a template. */
  readonly area?: string;
  readonly find: FindNames;
  readonly NewButton: ComponentType<{ readonly namespace: string; readonly onCreated: (name: string) => void }>;
}

const REFERENCED: readonly ReferencedKind[] = [
  { kind: 'Secret', find: findNames, NewButton: NewSecretButton },
  { kind: 'Task', area: 'triggers', find: findTemplates, NewButton: NewTemplateButton },
];

/** For the form of a kind in a namespace. */
export function useReferenceFields(kind: string, namespace: string): Pick<KindFormProps, 'besideReference' | 'find'> {
  return useMemo(() => {
    const area = kindNamed(kind)?.area;
    const referenced = (of: string) => REFERENCED.find((each) => each.kind === of && (each.area === undefined || each.area === area));
    return {
      find: (of, text, at) => (referenced(of)?.find ?? findNames)(of, text, at),
      besideReference({ kind: of, value, onChange }) {
        const NewButton = referenced(of)?.NewButton;
        const at = parseRef(typeof value === 'string' ? value : '', namespace);
        const set = (created: string) => onChange(at.namespace === namespace ? created : `${at.namespace}/${created}`);
        return NewButton && <NewButton namespace={at.namespace} onCreated={set} />;
      },
    };
  }, [kind, namespace]);
}
