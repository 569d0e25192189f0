// The editor of one object's YAML. A chunk of its own, since editors are heavy.
import type { Resource } from '@svc/shared/resource';
import { useMemo, useState } from 'react';
import { useCanEdit } from '../../../sign-in/can-write.ts';
import { ApplyFlow } from '../../../editor/ApplyFlow.tsx';
import { YamlEditor } from '../../../editor/YamlEditor.tsx';
import { ReadOnlyYaml } from '../parts/ReadOnlyYaml.tsx';
import { isEditable } from '../object-traits.ts';

export interface YamlPaneProps {
  readonly resource: Resource;
  /** It was deleted: its text stays readable. */
  readonly gone: boolean;
  /** The place to show. */
  readonly path: string | undefined;
}

export function YamlPane({ resource, gone, path }: YamlPaneProps) {
  const { kind, metadata } = resource;
  const { namespace, name } = metadata;
  // An edited text stays when the object is deleted meanwhile.
  const [wasGone] = useState(gone);
  const { allowed } = useCanEdit();
  const target = useMemo(() => ({ kind, namespace, name }), [kind, namespace, name]);
  const label = `YAML of ${kind} ${namespace}/${name}`;
  const shared = { kind, namespace, label, revealPath: path };
  if (wasGone || !allowed || !isEditable(kind)) return <ReadOnlyYaml resource={resource} path={path} />;
  return (
    <ApplyFlow target={target} current={resource}>
      {({ text, epoch, setText, diagnostics, review }) => (
        <YamlEditor {...shared} value={text} epoch={epoch} onChange={setText} diagnostics={diagnostics} onSave={review} />
      )}
    </ApplyFlow>
  );
}
