// Fields of a form that name other objects: buttons that create these without leaving the form, and the offered names.
import { parseRef } from '@svc/shared/resource';
import { useMemo } from 'react';
import type { KindFormProps } from '../../editor/KindForm.tsx';
import { findNames, type FindNames } from '../../editor/live-names.ts';
import { kindNamed } from '../../kinds/kind-table.ts';
import { NewSecretButton } from '../sealing/parts/NewSecretButton.tsx';
import { findTemplates } from '../triggers/model/find-templates.ts';
import { NewTemplateButton } from '../triggers/parts/NewTemplateButton.tsx';

/** For the form of a kind in a namespace: a Task that a trigger names is a template. */
export function useReferenceFields(kind: string, namespace: string): Pick<KindFormProps, 'besideReference' | 'find'> {
  return useMemo(() => {
    const triggers = kindNamed(kind)?.area === 'triggers';
    const find: FindNames = (of, text, at) => (triggers && of === 'Task' ? findTemplates : findNames)(of, text, at);
    return {
      find,
      besideReference: ({ kind: of, value, onChange }) => {
        const at = parseRef(typeof value === 'string' ? value : '', namespace);
        const set = (created: string) => onChange(at.namespace === namespace ? created : `${at.namespace}/${created}`);
        if (of === 'Secret') return <NewSecretButton namespace={at.namespace} onCreated={set} />;
        return triggers && of === 'Task' ? <NewTemplateButton namespace={at.namespace} onCreated={set} /> : null;
      },
    };
  }, [kind, namespace]);
}
