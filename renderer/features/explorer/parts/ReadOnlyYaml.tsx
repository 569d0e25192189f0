// An object's YAML to read, without the editor's apply flow.
import type { Resource } from '@svc/shared/resource';
import { useMemo } from 'react';
import { YamlEditor } from '../../../editor/YamlEditor.tsx';
import { objectYaml } from '../../../yaml/serialise.ts';

export interface ReadOnlyYamlProps {
  readonly resource: Resource;
  /** The place to show. */
  readonly path?: string | undefined;
}

export function ReadOnlyYaml({ resource, path }: ReadOnlyYamlProps) {
  const text = useMemo(() => objectYaml(resource), [resource]);
  const { kind, metadata } = resource;
  const label = `YAML of ${kind} ${metadata.namespace}/${metadata.name}`;
  return <YamlEditor readOnly kind={kind} namespace={metadata.namespace} label={label} value={text} revealPath={path} />;
}
