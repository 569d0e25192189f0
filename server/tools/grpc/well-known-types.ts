// The well-known types of Protocol Buffers: their declarations, and their own forms in JSON. Pure.
// Source: protobuf.dev "ProtoJSON Format", table of mappings.
import { isObject } from '@svc/shared/json';
import { declareMessage, type EnumType, type TypeRegistry } from './message-types.ts';

const nullValue: EnumType = {
  name: 'google.protobuf.NullValue',
  numbers: new Map([['NULL_VALUE', 0]]),
  names: new Map([[0, 'NULL_VALUE']]),
};
const WRAPPED = {
  DoubleValue: 'double',
  FloatValue: 'float',
  Int64Value: 'int64',
  UInt64Value: 'uint64',
  Int32Value: 'int32',
  UInt32Value: 'uint32',
  BoolValue: 'bool',
  StringValue: 'string',
  BytesValue: 'bytes',
};
const messages = [
  declareMessage('google.protobuf.Struct', { fields: 'repeated google.protobuf.Struct.FieldsEntry' }),
  declareMessage('google.protobuf.Struct.FieldsEntry', { key: 'string', value: 'google.protobuf.Value' }, { mapEntry: true }),
  declareMessage(
    'google.protobuf.Value',
    {
      null_value: 'enum google.protobuf.NullValue',
      number_value: 'double',
      string_value: 'string',
      bool_value: 'bool',
      struct_value: 'google.protobuf.Struct',
      list_value: 'google.protobuf.ListValue',
    },
    { oneof: true },
  ),
  declareMessage('google.protobuf.ListValue', { values: 'repeated google.protobuf.Value' }),
  declareMessage('google.protobuf.Timestamp', { seconds: 'int64', nanos: 'int32' }),
  declareMessage('google.protobuf.Duration', { seconds: 'int64', nanos: 'int32' }),
  declareMessage('google.protobuf.FieldMask', { paths: 'repeated string' }),
  declareMessage('google.protobuf.Empty', {}),
  declareMessage('google.protobuf.Any', { type_url: 'string', value: 'bytes' }),
  ...Object.entries(WRAPPED).map(([name, type]) => declareMessage(`google.protobuf.${name}`, { value: type })),
];

export const wellKnownTypes: TypeRegistry = {
  messages: new Map(messages.map((message) => [message.name, message])),
  enums: new Map([[nullValue.name, nullValue]]),
  methods: new Map(),
};

/** How a type looks in JSON and as its plain fields. `undefined` means that a value does not fit. */
interface Form {
  readonly toFields: (json: unknown) => Record<string, unknown> | undefined;
  /** `fields` as json-codec.ts decodes them. */
  readonly fromFields: (fields: Readonly<Record<string, unknown>>) => unknown;
  /** Expected JSON form, for messages. */
  readonly expected: string;
}

const wrapper: Form = { toFields: (json) => ({ value: json }), fromFields: ({ value }) => value, expected: 'a value' };

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i;
const timestamp: Form = {
  toFields(json) {
    const match = typeof json === 'string' ? TIMESTAMP.exec(json) : null;
    const ms = match ? Date.parse(`${match[1]}${match[3]?.toUpperCase()}`) : NaN;
    return Number.isNaN(ms) ? undefined : { seconds: String(ms / 1000), nanos: Number((match?.[2] ?? '').padEnd(9, '0')) };
  },
  fromFields({ seconds, nanos }) {
    const ms = Number(seconds) * 1000;
    return Number.isNaN(new Date(ms).getTime()) ? undefined : new Date(ms).toISOString().replace('.000Z', `${fraction(nanos)}Z`);
  },
  expected: 'a timestamp such as 2026-01-31T12:00:00Z',
};

const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
const duration: Form = {
  toFields(json) {
    const match = typeof json === 'string' ? DURATION.exec(json) : null;
    if (!match) return undefined;
    const sign = match[1] === '-' ? -1 : 1;
    return { seconds: String(sign * Number(match[2])), nanos: sign * Number((match[3] ?? '').padEnd(9, '0')) };
  },
  fromFields({ seconds, nanos }) {
    const negative = Number(seconds) < 0 || Number(nanos) < 0;
    return `${negative ? '-' : ''}${Math.abs(Number(seconds))}${fraction(Math.abs(Number(nanos)))}s`;
  },
  expected: 'a duration such as 1.5s',
};

const fieldMask: Form = {
  toFields(json) {
    if (typeof json !== 'string') return undefined;
    const paths = json.split(',').filter((path) => path !== '');
    return { paths: paths.map((path) => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) };
  },
  fromFields: ({ paths }) =>
    (paths as readonly string[]).map((path) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).join(','),
  expected: 'field paths joined with commas',
};

const value: Form = {
  toFields(json) {
    if (json === null) return { nullValue: 0 };
    if (typeof json === 'number') return { numberValue: json };
    if (typeof json === 'string') return { stringValue: json };
    if (typeof json === 'boolean') return { boolValue: json };
    return Array.isArray(json) ? { listValue: json } : { structValue: json };
  },
  fromFields: (fields) => ('nullValue' in fields ? null : (Object.values(fields)[0] ?? null)),
  expected: 'JSON',
};

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['google.protobuf.Timestamp', timestamp],
  ['google.protobuf.Duration', duration],
  ['google.protobuf.FieldMask', fieldMask],
  ['google.protobuf.Value', value],
  [
    'google.protobuf.Struct',
    { toFields: (json) => (isObject(json) ? { fields: json } : undefined), fromFields: ({ fields }) => fields, expected: 'an object' },
  ],
  [
    'google.protobuf.ListValue',
    { toFields: (json) => (Array.isArray(json) ? { values: json } : undefined), fromFields: ({ values }) => values, expected: 'a list' },
  ],
  ...Object.keys(WRAPPED).map((name): [string, Form] => [`google.protobuf.${name}`, wrapper]),
]);

export function wellKnownForm(typeName: string): Form | undefined {
  return FORMS.get(typeName);
}

/** Three, six or nine digits, or nothing. */
function fraction(nanos: unknown): string {
  const digits = String(Number(nanos)).padStart(9, '0');
  return digits === '000000000' ? '' : `.${digits.replace(/(000){1,2}$/, '')}`;
}
