// The YAML editor of an ApplyFlow, for callers that bring none.
import type { ApplyTarget } from './apply-plan.ts';
import type { Editing } from './editing.ts';
import { YamlEditor } from './YamlEditor.tsx';

export function DefaultEditor({ editing, target }: { readonly editing: Editing; readonly target: ApplyTarget }) {
  const { kind, namespace, name } = target;
  return (
    <YamlEditor
      label={name === undefined ? `YAML of the new ${kind}` : `YAML of ${kind} ${namespace}/${name}`}
      value={editing.text}
      onChange={editing.setText}
      kind={kind}
      namespace={namespace}
      readOnly={editing.readOnly && !editing.dirty}
      diagnostics={editing.diagnostics}
      onSave={editing.review}
    />
  );
}
