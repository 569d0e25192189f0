// JSON ↔ Protocol Buffers by message types that arrive at run time. Written out here because types come from the tool's own server:
// nothing of what it declares becomes code. Pure. Source: protobuf.dev "ProtoJSON Format".
import { isObject } from '@svc/shared/json';
import type { FieldType, MessageType, TypeRegistry } from './message-types.ts';
import { fieldBudget, fieldBytes, readFields, spend, WIRE, WireError, WireReader, type FieldBudget } from './proto-wire.ts';
import { defaultOf, readScalar, scalarBytes, scalarWire } from './scalars.ts';
import { wellKnownForm } from './well-known-types.ts';

const DEPTH_MAX = 64;
/** Characters of a name that count as one more field: a declared name is written as often as its field or value is. */
const NAME_PART_CHARS = 32;
const BOOLEAN_KEYS: Readonly<Record<string, boolean>> = { true: true, false: false };
const ANY = 'google.protobuf.Any';
/** Types for which null is a value; elsewhere it means "not set". */
const NULLABLE: ReadonlySet<string> = new Set(['google.protobuf.Value', 'google.protobuf.NullValue']);

/** A value that does not fit its type. `path` is the place in the JSON, never the value. */
export class MappingError extends Error {
  override readonly name = 'MappingError';
  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
  }
}

interface Place {
  readonly registry: TypeRegistry;
  readonly path: string;
  readonly depth: number;
  /** Fields that may still be examined, for the whole conversion. */
  readonly budget: FieldBudget;
}

// ---------------------------------------------------------------- JSON → bytes

/** The message as bytes. Throws MappingError for what does not fit, unknown fields included. */
export function encodeJson(json: unknown, typeName: string, registry: TypeRegistry): Uint8Array {
  return encodeMessage(json, typeName, { registry, path: 'input', depth: 0, budget: fieldBudget() });
}

function encodeMessage(json: unknown, typeName: string, place: Place): Uint8Array {
  const { path, depth } = place;
  if (depth > DEPTH_MAX) throw new MappingError(path, 'is nested too deeply');
  const type = messageType(typeName, place);
  if (typeName === ANY) return encodeAny(json, place);
  const form = wellKnownForm(typeName);
  const fields = form ? form.toFields(json) : json;
  if (!isObject(fields)) throw new MappingError(path, `must be ${form?.expected ?? 'an object'}`);
  spend(place.budget, type.fields.length * Math.max(1, Object.keys(fields).length));
  const given = new Set<number>();
  const parts = Object.entries(fields).flatMap(([key, value]) => {
    const field = type.fields.find(({ name, jsonName }) => name === key || jsonName === key);
    const at = { ...place, path: form ? path : `${path}.${key}`, depth: depth + 1 };
    if (!field) throw new MappingError(at.path, `is not a field of ${typeName}`);
    if (value === null && !NULLABLE.has(field.typeName ?? '')) return [];
    if (field.oneof !== undefined && given.has(field.oneof))
      throw new MappingError(at.path, 'cannot be combined with another field that is given');
    if (field.oneof !== undefined) given.add(field.oneof);
    return [encodeField(value, field, at)];
  });
  return Buffer.concat(parts);
}

function encodeField(value: unknown, field: FieldType, place: Place): Uint8Array {
  const entry = mapEntryOf(field, place.registry);
  if (entry) return encodeMap(value, field, place);
  if (!field.repeated) return encodeOne(value, field, place);
  if (!Array.isArray(value)) throw new MappingError(place.path, 'must be a list');
  const itemAt = (index: number) => ({ ...place, path: `${place.path}[${index}]` });
  if (!field.packed) return Buffer.concat(value.map((item, index) => encodeOne(item, field, itemAt(index))));
  if (value.length === 0) return new Uint8Array();
  const packed = Buffer.concat(value.map((item, index) => encodeScalar(item, field, itemAt(index))));
  return fieldBytes(field.number, WIRE.bytes, packed);
}

function encodeMap(value: unknown, field: FieldType, place: Place): Uint8Array {
  if (!isObject(value)) throw new MappingError(place.path, 'must be an object');
  const entries = Object.entries(value).map(([key, item]) => {
    const at = { ...place, path: `${place.path}.${key}`, depth: place.depth + 1 };
    return fieldBytes(field.number, WIRE.bytes, encodeMapEntry({ key, value: item }, field.typeName ?? '', at));
  });
  return Buffer.concat(entries);
}

/** Keys are JSON strings, whatever their type. */
function encodeMapEntry({ key, value }: { key: string; value: unknown }, typeName: string, place: Place): Uint8Array {
  const { fields } = messageType(typeName, place);
  const [keyField, valueField] = [fields.find(({ number }) => number === 1), fields.find(({ number }) => number === 2)];
  if (!keyField || !valueField) throw new MappingError(place.path, 'has an invalid map type');
  const plainKey = keyField.type === 'bool' ? BOOLEAN_KEYS[key] : key;
  const keyBytes = keyField.type === 'message' || keyField.type === 'enum' ? undefined : scalarBytes(plainKey, keyField.type);
  if (!keyBytes) throw new MappingError(place.path, `must have a key of type ${keyField.type}`);
  return Buffer.concat([fieldBytes(1, wireOf(keyField), keyBytes), encodeOne(value, valueField, place)]);
}

function encodeOne(value: unknown, field: FieldType, place: Place): Uint8Array {
  if (field.type === 'message') {
    return fieldBytes(field.number, WIRE.bytes, encodeMessage(value, field.typeName ?? '', { ...place, depth: place.depth + 1 }));
  }
  return fieldBytes(field.number, wireOf(field), encodeScalar(value, field, place));
}

function encodeScalar(value: unknown, field: FieldType, place: Place): Uint8Array {
  if (field.type === 'message') throw new MappingError(place.path, 'cannot be packed');
  if (field.type !== 'enum') {
    const bytes = scalarBytes(value, field.type);
    if (!bytes) throw new MappingError(place.path, `must be ${field.type}`);
    return bytes;
  }
  const type = place.registry.enums.get(field.typeName ?? '');
  const number = value === null ? 0 : typeof value === 'string' ? type?.numbers.get(value) : value;
  const bytes = number === undefined ? undefined : scalarBytes(number, 'int32');
  if (!bytes) throw new MappingError(place.path, `must be one of ${[...(type?.numbers.keys() ?? [])].slice(0, 20).join(', ')}`);
  return bytes;
}

function encodeAny(json: unknown, place: Place): Uint8Array {
  if (!isObject(json) || typeof json['@type'] !== 'string') throw new MappingError(place.path, 'must be an object with "@type"');
  const { '@type': url, ...rest } = json;
  const name = url.slice(url.lastIndexOf('/') + 1);
  const content = wellKnownForm(name) || name === ANY ? rest['value'] : rest;
  const value = encodeMessage(content, name, { ...place, depth: place.depth + 1 });
  return Buffer.concat([fieldBytes(1, WIRE.bytes, Buffer.from(url)), fieldBytes(2, WIRE.bytes, value)]);
}

// ---------------------------------------------------------------- bytes → JSON

/** The message as JSON: names in lowerCamelCase, fields without presence always there, 64-bit numbers as text. Throws MappingError or WireError. */
export function decodeJson(bytes: Uint8Array, typeName: string, registry: TypeRegistry): unknown {
  return decodeMessage(bytes, typeName, { registry, path: 'output', depth: 0, budget: fieldBudget() });
}

function decodeMessage(bytes: Uint8Array, typeName: string, place: Place): unknown {
  if (place.depth > DEPTH_MAX) throw new MappingError(place.path, 'is nested too deeply');
  const type = messageType(typeName, place);
  const fields = decodeFields(bytes, type, { ...place, depth: place.depth + 1 });
  if (typeName === ANY) return decodeAny(fields, place);
  const form = wellKnownForm(typeName);
  if (!form) return fields;
  const json = form.fromFields(fields);
  if (json === undefined) throw new MappingError(place.path, `must be ${form.expected}`);
  return json;
}

function decodeFields(bytes: Uint8Array, type: MessageType, place: Place): Record<string, unknown> {
  const sent = new Map<number, { wire: number; value: bigint | Uint8Array }[]>();
  for (const { number, wire, value } of readFields(bytes, place.budget)) {
    const known = sent.get(number);
    if (known) known.push({ wire, value });
    else sent.set(number, [{ wire, value }]);
  }
  spend(place.budget, type.fields.length);
  const json = Object.create(null) as Record<string, unknown>;
  for (const field of type.fields) {
    const values = sent.get(field.number) ?? [];
    const at = { ...place, path: `${place.path}.${field.jsonName}` };
    const decoded = field.repeated ? decodeRepeated(values, field, at) : decodeSingle(values, field, at);
    if (decoded !== undefined) json[written(field.jsonName, place)] = decoded;
  }
  return json;
}

type WireFields = readonly { readonly wire: number; readonly value: bigint | Uint8Array }[];

/** A message that was sent in parts is their merger, which is what their bytes in a row mean. */
function decodeSingle(values: WireFields, field: FieldType, place: Place): unknown {
  const fitting = values.filter(({ wire }) => wire === wireOf(field));
  const last = fitting.at(-1);
  if (!last) return field.presence || field.type === 'message' ? undefined : defaultValue(field, place);
  if (field.type !== 'message') return decodeScalar(last.value, field, place);
  return decodeMessage(Buffer.concat(fitting.map(({ value }) => value as Uint8Array)), field.typeName ?? '', place);
}

function decodeRepeated(values: WireFields, field: FieldType, place: Place): unknown {
  const entry = mapEntryOf(field, place.registry);
  if (entry) return decodeMap(values, entry, place);
  return values.flatMap(({ wire, value }): unknown[] => {
    if (field.type === 'message') {
      return value instanceof Uint8Array ? [decodeMessage(value, field.typeName ?? '', place)] : [];
    }
    if (wire === wireOf(field)) return [decodeScalar(value, field, place)];
    return value instanceof Uint8Array && wireOf(field) !== WIRE.bytes ? unpacked(value, field, place) : [];
  });
}

function unpacked(bytes: Uint8Array, field: FieldType, place: Place): unknown[] {
  const reader = new WireReader(bytes);
  const items: unknown[] = [];
  while (!reader.done) {
    spend(place.budget, 1);
    items.push(decodeScalar(reader.value(wireOf(field)), field, place));
  }
  return items;
}

function decodeMap(values: WireFields, entry: MessageType, place: Place): Record<string, unknown> {
  const json = Object.create(null) as Record<string, unknown>;
  for (const { value } of values) {
    if (!(value instanceof Uint8Array)) continue;
    const fields = decodeFields(value, entry, { ...place, depth: place.depth + 1 });
    const { key, value: item } = { key: fields['key'], value: fields['value'] };
    const valueField = entry.fields.find(({ number }) => number === 2);
    json[String(key)] = item ?? (valueField?.type === 'message' ? decodeMessage(new Uint8Array(), valueField.typeName ?? '', place) : item);
  }
  return json;
}

function decodeScalar(value: bigint | Uint8Array, field: FieldType, place: Place): unknown {
  if (field.type !== 'enum') return field.type === 'message' ? undefined : readScalar(value, field.type);
  return enumName(Number(readScalar(value, 'int32')), field, place);
}

function defaultValue(field: FieldType, place: Place): unknown {
  if (field.type === 'enum') return enumName(0, field, place);
  return field.type === 'message' ? undefined : defaultOf(field.type);
}

function enumName(number: number, field: FieldType, place: Place): string | number {
  const name = place.registry.enums.get(field.typeName ?? '')?.names.get(number);
  return name === undefined ? number : written(name, place);
}

/** A declared name, to be written into the JSON. */
function written(name: string, { budget }: Place): string {
  spend(budget, Math.floor(name.length / NAME_PART_CHARS));
  return name;
}

function decodeAny(fields: Readonly<Record<string, unknown>>, place: Place): unknown {
  const url = String(fields['typeUrl']);
  if (url === '') return {};
  const name = url.slice(url.lastIndexOf('/') + 1);
  const content = decodeMessage(Buffer.from(String(fields['value']), 'base64'), name, { ...place, depth: place.depth + 1 });
  return wellKnownForm(name) || !isObject(content) ? { '@type': url, value: content } : { '@type': url, ...content };
}

// ---------------------------------------------------------------- types

function messageType(name: string, { registry, path }: Place): MessageType {
  const type = registry.messages.get(name);
  if (!type) throw new MappingError(path, `is of type ${name.slice(0, 200)}, which the tool's server does not describe`);
  return type;
}

function mapEntryOf(field: FieldType, registry: TypeRegistry): MessageType | undefined {
  if (!field.repeated || field.type !== 'message') return undefined;
  const type = registry.messages.get(field.typeName ?? '');
  return type?.mapEntry ? type : undefined;
}

function wireOf({ type }: FieldType): number {
  if (type === 'message') return WIRE.bytes;
  return type === 'enum' ? WIRE.varint : scalarWire(type);
}

/** Whether an error is about what was sent rather than about this program. */
export function isMappingProblem(error: unknown): error is MappingError | WireError {
  return error instanceof MappingError || error instanceof WireError;
}
