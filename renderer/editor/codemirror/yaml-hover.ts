// Meaning of a field, shown while the pointer rests on its key or value, with a link to the referenced object.
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import { nodeAt, refKind } from '../../yaml/schema-source.ts';
import { pathAtOffset } from '../../yaml/yaml-paths.ts';
import { docsBox } from './docs-box.ts';
import { documentSchemaAt, yamlSurroundings } from './yaml-context.ts';

export const yamlHover: Extension = hoverTooltip((view, offset) => {
  const around = view.state.facet(yamlSurroundings);
  const at = around?.known && documentSchemaAt(view.state, offset, around.known);
  const place = at && pathAtOffset(at.document, offset);
  const schema = at && place && nodeAt(at.schema, place.path);
  if (!around || !schema || !place || place.path.length === 0) return null;
  const value = at.document.document.getIn(place.path);
  if (place.on === 'value' && typeof value === 'object') return null;
  const kind = refKind(schema);
  const ref =
    kind !== undefined && typeof value === 'string' && value !== ''
      ? { href: around.addressOf(kind, value), text: `Open ${kind} ${value}` }
      : undefined;
  const name = String(place.path.findLast((segment) => typeof segment === 'string') ?? '');
  return { pos: place.range.from, end: place.range.to, above: true, create: () => ({ dom: docsBox(name, schema, ref) }) };
});
