// Button that creates the template of a schedule or webhook, beside the field that names it and where it is missing.
import { parseRef } from '@svc/shared/resource';
import { Plus } from 'lucide-react';
import { Suspense, useCallback, useState } from 'react';
import type { KindFormProps } from '../../../editor/KindForm.tsx';
import { findNames, type FindNames } from '../../../editor/live-names.ts';
import type { BesideReference } from '../../../form/form-context.ts';
import { kindNamed } from '../../../kinds/kind-table.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { findTemplates } from '../model/find-templates.ts';

const NewTemplateDialog = lazyPart(async () => (await import('./NewTemplateDialog.tsx')).NewTemplateDialog);

export interface NewTemplateButtonProps {
  readonly namespace: string;
  readonly name?: string;
  readonly label?: string;
  readonly onCreated?: (name: string) => void;
}

export function NewTemplateButton({ namespace, name = '', label = 'New template', onCreated }: NewTemplateButtonProps) {
  const { reason } = useCanWrite();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Plus />} disabledReason={reason} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <Suspense>
          <NewTemplateDialog
            namespace={namespace}
            name={name}
            onClose={() => setOpen(false)}
            onCreated={(created) => {
              setOpen(false);
              onCreated?.(created);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** For the form of a kind: the template of a trigger has offers of its own, and a button beside it. */
export function useTemplateField(kind: string, namespace: string): Pick<KindFormProps, 'besideReference' | 'find'> {
  const beside = useCallback<BesideReference>(
    (reference) => {
      if (reference.kind !== 'Task') return null;
      const at = parseRef(typeof reference.value === 'string' ? reference.value : '', namespace);
      const ref = (created: string) => (at.namespace === namespace ? created : `${at.namespace}/${created}`);
      return <NewTemplateButton namespace={at.namespace} onCreated={(created) => reference.onChange(ref(created))} />;
    },
    [namespace],
  );
  return kindNamed(kind)?.area === 'triggers' ? { besideReference: beside, find } : NO_FIELD;
}

const NO_FIELD = {};
const find: FindNames = (kind, text, at) => (kind === 'Task' ? findTemplates : findNames)(kind, text, at);
