// File descriptors, as a server's reflection sends them → message types. Pure. Source: google/protobuf/descriptor.proto.
import {
  jsonNameOf,
  type EnumType,
  type FieldType,
  type MessageType,
  type MethodType,
  type ScalarType,
  type TypeRegistry,
} from './message-types.ts';
import { fieldBudget, readFields, spend, WireError, type FieldBudget, type WireField } from './proto-wire.ts';

const TYPES: readonly (ScalarType | 'group' | 'message' | 'enum' | undefined)[] = [
  ...[undefined, 'double', 'float', 'int64', 'uint64', 'int32', 'fixed64', 'fixed32', 'bool', 'string', 'group', 'message', 'bytes'],
  ...['uint32', 'enum', 'sfixed32', 'sfixed64', 'sint32', 'sint64'],
] as (ScalarType | 'group' | 'message' | 'enum' | undefined)[];
const LABEL_REPEATED = 3;
const DEPTH_MAX = 32;
/** Scopes in which a name is looked up that is not a full name. */
const SCOPE_PARTS_MAX = 16;
/** Full names are written out for each type in a scope. */
const NAME_MAX_CHARS = 512;

export interface FileHead {
  readonly name: string;
  readonly dependencies: readonly string[];
}

/** A file's name and what it imports. Throws WireError. */
export function fileHead(bytes: Uint8Array, budget: FieldBudget): FileHead {
  const file = new Fields(bytes, budget);
  return { name: file.text(1), dependencies: file.texts(3) };
}

/** The types of some files. Throws WireError. Names that do not resolve stay as they are: they fail where they are used. */
export function readDescriptors(files: readonly Uint8Array[]): TypeRegistry {
  const found: Found = { messages: new Map(), enums: new Map(), methods: new Map(), budget: fieldBudget() };
  for (const bytes of files) readFile(new Fields(bytes, found.budget), found);
  const known = (name: string) => {
    spend(found.budget, 1);
    return found.messages.has(name) || found.enums.has(name);
  };
  return {
    enums: found.enums,
    messages: new Map(
      [...found.messages].map(([name, type]) => [name, { ...type, fields: type.fields.map((f) => resolved(f, name, known)) }]),
    ),
    methods: new Map(
      [...found.methods].map(([name, method]) => [
        name,
        { ...method, input: resolveName(method.input, name, known), output: resolveName(method.output, name, known) },
      ]),
    ),
  };
}

interface Found {
  readonly messages: Map<string, MessageType>;
  readonly enums: Map<string, EnumType>;
  readonly methods: Map<string, MethodType>;
  readonly budget: FieldBudget;
}

/** Raw fields by number. */
class Fields {
  readonly #fields: readonly WireField[];

  constructor(bytes: Uint8Array, budget: FieldBudget) {
    this.#fields = readFields(bytes, budget);
  }

  all(number: number): Uint8Array[] {
    return this.#fields.flatMap((field) => (field.number === number && field.value instanceof Uint8Array ? [field.value] : []));
  }

  texts(number: number): string[] {
    return this.all(number).map((bytes) => Buffer.from(bytes).toString('utf8'));
  }

  text(number: number): string {
    return this.texts(number).at(-1) ?? '';
  }

  number(number: number): number | undefined {
    const value = this.#fields.findLast((field) => field.number === number)?.value;
    return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : undefined;
  }
}

function readFile(file: Fields, found: Found): void {
  const scope = file.text(2);
  const implicit = file.text(12) === 'proto3';
  for (const bytes of file.all(4)) readMessage(new Fields(bytes, found.budget), { scope, implicit, depth: 0 }, found);
  for (const bytes of file.all(5)) readEnum(new Fields(bytes, found.budget), scope, found);
  for (const bytes of file.all(6)) readService(new Fields(bytes, found.budget), scope, found);
}

interface Scope {
  readonly scope: string;
  /** Whether plain fields have no presence, as in proto3. */
  readonly implicit: boolean;
  readonly depth: number;
}

function readMessage(message: Fields, { scope, implicit, depth }: Scope, found: Found): void {
  if (depth > DEPTH_MAX) return;
  const name = joined(scope, message.text(1));
  const mapEntry = message.all(7).some((options) => new Fields(options, found.budget).number(7) === 1);
  const fields = message.all(2).flatMap((bytes) => readField(new Fields(bytes, found.budget), { implicit, budget: found.budget }) ?? []);
  found.messages.set(name, { name, mapEntry, fields });
  for (const bytes of message.all(3)) readMessage(new Fields(bytes, found.budget), { scope: name, implicit, depth: depth + 1 }, found);
  for (const bytes of message.all(4)) readEnum(new Fields(bytes, found.budget), name, found);
}

/** Undefined for a group: proto2 has them, and they have no form in JSON worth the name. */
function readField(field: Fields, { implicit, budget }: { implicit: boolean; budget: FieldBudget }): FieldType | undefined {
  const type = TYPES[field.number(5) ?? 0];
  if (type === undefined || type === 'group') return undefined;
  const repeated = field.number(4) === LABEL_REPEATED;
  const optional = field.number(17) === 1;
  const oneof = optional ? undefined : field.number(9);
  const packed = field
    .all(8)
    .map((options) => new Fields(options, budget).number(2))
    .at(-1);
  const scalar = !['message', 'string', 'bytes'].includes(type);
  const typeName = field.text(6);
  return {
    name: field.text(1),
    jsonName: field.text(10) || jsonNameOf(field.text(1)),
    number: field.number(3) ?? 0,
    type,
    ...(typeName !== '' && { typeName }),
    repeated,
    packed: repeated && scalar && (packed === undefined ? implicit : packed === 1),
    presence: !repeated && (type === 'message' || optional || oneof !== undefined || !implicit),
    ...(oneof !== undefined && { oneof }),
  };
}

function readEnum(type: Fields, scope: string, found: Found): void {
  const name = joined(scope, type.text(1));
  const values = type.all(2).map((bytes): [string, number] => {
    const value = new Fields(bytes, found.budget);
    return [value.text(1), value.number(2) ?? 0];
  });
  // The first of two names for one number is written.
  const names = new Map([...values].reverse().map(([text, number]) => [number, text]));
  found.enums.set(name, { name, numbers: new Map(values), names });
}

function readService(service: Fields, scope: string, found: Found): void {
  const name = joined(scope, service.text(1));
  for (const bytes of service.all(2)) {
    const method = new Fields(bytes, found.budget);
    found.methods.set(`${name}/${method.text(1)}`, {
      input: method.text(2),
      output: method.text(3),
      streaming: method.number(5) === 1 || method.number(6) === 1,
    });
  }
}

function resolved(field: FieldType, scope: string, known: (name: string) => boolean): FieldType {
  return field.typeName === undefined ? field : { ...field, typeName: resolveName(field.typeName, scope, known) };
}

/** A leading dot means a full name; without one the innermost scope that has it wins, as in protoc. */
function resolveName(...[name, scope, known]: [string, string, (name: string) => boolean]): string {
  if (name.startsWith('.')) return name.slice(1);
  const parts = scope.split(/[./]/, SCOPE_PARTS_MAX);
  for (let length = parts.length; length > 0; length -= 1) {
    const candidate = `${parts.slice(0, length).join('.')}.${name}`;
    if (known(candidate)) return candidate;
  }
  return name;
}

function joined(scope: string, name: string): string {
  if (scope.length + name.length >= NAME_MAX_CHARS) throw new WireError('it has a name that is too long');
  return scope === '' ? name : `${scope}.${name}`;
}
