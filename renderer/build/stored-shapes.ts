// Reads the shapes of stored objects from the kinds' schemas at build time: field types, and the defaults that depend on no other field.
import { isObject } from '../../shared/json.ts';
import type { KindDefinition } from '../../shared/kinds/define.ts';
import { kindFields, type Field } from '../../shared/kinds/kind-fields.ts';
import type { Defaults, StoredShape, StoredShapes } from '../kinds/stored-shape.ts';

export function storedShapes(kind: KindDefinition): StoredShapes {
  const [spec, status] = kindFields(kind);
  const empty: unknown = kind.normalize(kind.spec.parse({}), { namespace: 'default', name: '' });
  return {
    spec: shapeOf(spec),
    status: withoutRecords(shapeOf(status), kind.heavyStatusFields),
    defaults: staticDefaults(spec, isObject(empty) ? empty : {}),
  };
}

function shapeOf({ type, fields, item, options }: Field): StoredShape {
  if (type === 'union') return { anyOf: options.map(shapeOf) };
  if (type === 'object') return { fields: Object.fromEntries([...fields].map(([name, field]) => [name, shapeOf(field)])) };
  if (type === 'list') return { list: item ? shapeOf(item) : 'any' };
  if (type === 'map') return { map: item ? shapeOf(item) : 'any' };
  return type === 'integer' ? 'number' : type;
}

/** Long records have readers of their own: their entries are not checked at each change of the object. */
function withoutRecords(shape: StoredShape, records: readonly string[]): StoredShape {
  if (typeof shape === 'string' || !('fields' in shape)) return shape;
  const lists = records.filter((name) => name in shape.fields).map((name) => [name, { list: 'any' }] as const);
  return { fields: { ...shape.fields, ...Object.fromEntries(lists) } };
}

/** A default depends on no other field where its text in the documentation is the value itself. */
function staticDefaults(group: Field, values: Readonly<Record<string, unknown>>): Defaults {
  const entries = [...group.children.values()].flatMap((field): [string, unknown][] => {
    const value = values[field.name];
    if (field.type === 'object') return isObject(value) ? [[field.name, staticDefaults(field, value)]] : [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return value !== undefined && (field.required || text === field.defaultText) ? [[field.name, value]] : [];
  });
  return Object.fromEntries(entries);
}
