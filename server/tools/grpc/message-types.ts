// Message types as data: the facts that the JSON mapping of json-codec.ts needs about fields, messages, enums and methods. Pure.

export type ScalarType =
  | 'double'
  | 'float'
  | 'int64'
  | 'uint64'
  | 'int32'
  | 'fixed64'
  | 'fixed32'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'uint32'
  | 'sfixed32'
  | 'sfixed64'
  | 'sint32'
  | 'sint64';

export interface FieldType {
  /** As declared. */
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly type: ScalarType | 'message' | 'enum';
  /** Full name of the message or enum, without a leading dot. */
  readonly typeName?: string;
  readonly repeated: boolean;
  readonly packed: boolean;
  /** Whether "not set" differs from the default value; oneof members, `optional` fields and messages. */
  readonly presence: boolean;
  /** Members of one oneof exclude each other. */
  readonly oneof?: number;
}

export interface MessageType {
  /** Full name, without a leading dot. */
  readonly name: string;
  readonly fields: readonly FieldType[];
  /** The entries of a map are messages of two fields, `key` and `value`. */
  readonly mapEntry: boolean;
}

export interface EnumType {
  readonly name: string;
  readonly numbers: ReadonlyMap<string, number>;
  readonly names: ReadonlyMap<number, string>;
}

export interface MethodType {
  readonly input: string;
  readonly output: string;
  readonly streaming: boolean;
}

export interface TypeRegistry {
  readonly messages: ReadonlyMap<string, MessageType>;
  readonly enums: ReadonlyMap<string, EnumType>;
  /** By `package.Service/Method`. */
  readonly methods: ReadonlyMap<string, MethodType>;
}

/** Several registries as one; the first that knows a name wins. */
export function joinRegistries(...registries: readonly TypeRegistry[]): TypeRegistry {
  const joined = <K, V>(pick: (registry: TypeRegistry) => ReadonlyMap<K, V>) =>
    new Map([...registries].reverse().flatMap((registry) => [...pick(registry)]));
  return { messages: joined(({ messages }) => messages), enums: joined(({ enums }) => enums), methods: joined(({ methods }) => methods) };
}

/** `snake_case` → `snakeCase`, as protoc names fields in JSON. */
export function jsonNameOf(name: string): string {
  return name.replace(/_+([a-z0-9])?/gi, (_, letter: string | undefined) => letter?.toUpperCase() ?? '');
}

const MESSAGE = /^[A-Za-z]\w*(\.\w+)+$/;
const SCALARS = new Set<string>([
  ...['double', 'float', 'int64', 'uint64', 'int32', 'fixed64', 'fixed32', 'bool', 'string', 'bytes', 'uint32'],
  ...['sfixed32', 'sfixed64', 'sint32', 'sint64'],
]);

/** A message type written down in code, field by field: `request_id: string`, `capabilities: repeated string`, `result: google.protobuf.Value`; numbers count from 1. */
export function declareMessage(
  name: string,
  fields: Readonly<Record<string, string>>,
  options: { oneof?: boolean; mapEntry?: boolean } = {},
): MessageType {
  const declared = Object.entries(fields).map(([field, text], index): FieldType => {
    const repeated = text.startsWith('repeated ');
    const of = text.replace('repeated ', '').replace('enum ', '');
    const type = SCALARS.has(of) ? (of as ScalarType) : text.includes('enum ') ? 'enum' : 'message';
    return {
      name: field,
      jsonName: jsonNameOf(field),
      number: index + 1,
      type,
      ...(MESSAGE.test(of) && { typeName: of }),
      repeated,
      packed: repeated && !['string', 'bytes', 'message'].includes(type),
      presence: !repeated && (type === 'message' || options.oneof === true),
      ...(options.oneof === true && { oneof: 0 }),
    };
  });
  return { name, fields: declared, mapEntry: options.mapEntry ?? false };
}
