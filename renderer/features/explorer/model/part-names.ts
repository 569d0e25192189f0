// Names of parts of another object in a spec, such as agents in the overrides of a Session, when a part gets another name. Pure.
import { isObject } from '@svc/shared/json';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { parsePath } from '@svc/shared/path-text';
import { describeKey, type Resource } from '@svc/shared/resource';
import { memberAt, type DocumentEdit } from '../../../yaml/edit-value.ts';
import type { YamlPath } from '../../../yaml/path-text.ts';

/** New names by the earlier ones. */
type Names = ReadonlyMap<string, string>;

function keyEdits(holder: Resource, path: YamlPath, names: Names): DocumentEdit[] {
  const map = memberAt(holder, path);
  if (!isObject(map)) return [];
  return Object.keys(map).flatMap((key): DocumentEdit[] => {
    const renamed = names.get(key);
    return renamed === undefined || (renamed !== key && Object.hasOwn(map, renamed))
      ? []
      : [{ op: 'rename', path: [...path, key], key: renamed }];
  });
}

/** Edits of one object; `parts` has the changed names of each object with parts, by its description. */
export function partEdits(
  holder: Resource,
  definition: KindDefinition | undefined,
  parts: ReadonlyMap<string, Names>,
): readonly DocumentEdit[] {
  const uses = definition?.partNames;
  const owner = definition?.references(holder.spec, holder.metadata).find(({ path }) => path === `spec.${uses?.of}`);
  const names = owner && parts.get(describeKey(owner));
  if (!uses || !names) return [];
  return uses.maps.flatMap((map) => keyEdits(holder, ['spec', ...parsePath(map)], names));
}
