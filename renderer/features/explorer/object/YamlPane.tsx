// The editor of one object's YAML. A chunk of its own, since editors are heavy.
import type { Resource } from '@svc/shared/resource';
import { useMemo } from 'react';
import { objectYaml } from '../../editor/serialise.ts';
import { YamlEditor } from '../../editor/YamlEditor.tsx';

export interface YamlPaneProps {
  readonly resource: Resource;
  readonly gone: boolean;
  readonly path: string | undefined;
}

export function YamlPane({ resource, path }: YamlPaneProps) {
  const { kind, metadata } = resource;
  const text = useMemo(() => objectYaml(resource), [resource]);
  return (
    <YamlEditor
      readOnly
      value={text}
      kind={kind}
      namespace={metadata.namespace}
      label={`YAML of ${kind} ${metadata.name}`}
      revealPath={path}
    />
  );
}
