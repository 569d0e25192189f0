// The form of one object, reviewed and applied like its YAML. A chunk of its own, since editors are heavy.
import type { Resource } from '@svc/shared/resource';
import { useMemo } from 'react';
import { ApplyFlow } from '../../../editor/ApplyFlow.tsx';
import { KindForm } from '../../../editor/KindForm.tsx';
import { useReferenceFields } from '../reference-fields.tsx';

export function FormPane({ resource }: { readonly resource: Resource }) {
  const { kind, metadata } = resource;
  const { namespace, name } = metadata;
  const target = useMemo(() => ({ kind, namespace, name }), [kind, namespace, name]);
  const references = useReferenceFields(kind, namespace);
  return (
    <ApplyFlow target={target} current={resource}>
      {({ text, setText, baseText, diagnostics, readOnly }) => (
        <KindForm
          text={text}
          onChange={setText}
          kind={kind}
          namespace={namespace}
          baseText={baseText}
          diagnostics={diagnostics}
          readOnly={readOnly}
          {...references}
        />
      )}
    </ApplyFlow>
  );
}
