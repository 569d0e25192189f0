// The form of a new object: its name, then the fields of its kind. It edits the text beside it in place.
import { isObject } from '@svc/shared/json';
import { nameProblem } from '@svc/shared/resource';
import { useMemo } from 'react';
import { KindForm } from '../../../editor/KindForm.tsx';
import type { YamlDiagnostic } from '../../../editor/YamlEditor.tsx';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { useReferenceFields } from '../reference-fields.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { editYaml } from '../../../yaml/edit-document.ts';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';

export interface NewFormProps {
  readonly kind: KindSummary;
  readonly namespace: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly diagnostics: readonly YamlDiagnostic[];
}

/** Undefined while the text cannot be read: there is no place to write a name to. */
function nameIn(text: string): string | undefined {
  const value = onlyValueOf(text)?.value;
  if (!isObject(value)) return undefined;
  const name = isObject(value.metadata) ? value.metadata.name : undefined;
  return typeof name === 'string' ? name : '';
}

export function NewForm({ kind, namespace, text, onChange, diagnostics }: NewFormProps) {
  const name = useMemo(() => nameIn(text), [text]);
  const references = useReferenceFields(kind.kind, namespace);
  const setName = (value: string) => {
    const edited = editYaml(text, [{ op: 'set', path: ['metadata', 'name'], value }]);
    if (edited !== undefined) onChange(edited);
  };
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      {name !== undefined && (
        <div className="max-w-3xl px-6 pt-6">
          <Field label="Name" required error={name === '' ? undefined : nameProblem(name)}>
            <Input mono value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
        </div>
      )}
      <KindForm
        text={text}
        onChange={onChange}
        kind={kind.kind}
        namespace={namespace}
        {...references}
        diagnostics={diagnostics}
        className="overflow-visible"
      />
    </div>
  );
}
