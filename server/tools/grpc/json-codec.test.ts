import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as loader from '@grpc/proto-loader';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { projectDirectory } from '../../installation.ts';
import { readDescriptors } from './descriptors.ts';
import { decodeJson, encodeJson, isMappingProblem, MappingError } from './json-codec.ts';
import { joinRegistries, type TypeRegistry } from './message-types.ts';
import { fieldBytes, readFields, varintBytes, WIRE } from './proto-wire.ts';
import { TOOL_METHOD, toolServiceTypes } from './tool-service.ts';
import { wellKnownTypes } from './well-known-types.ts';

const LOADING = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true };
const folder = mkdtempSync(join(tmpdir(), 'svc-proto-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(source: string): { definition: loader.PackageDefinition; types: TypeRegistry } {
  const path = join(folder, 'test.proto');
  writeFileSync(path, `syntax = "proto3"; package t.v1; ${source}`);
  const definition = loader.loadSync(path, LOADING);
  const [any] = Object.values(definition) as { fileDescriptorProtos: Buffer[] }[];
  return { definition, types: joinRegistries(readDescriptors(any?.fileDescriptorProtos ?? []), wellKnownTypes) };
}

const message = (definition: loader.PackageDefinition, name: string) => definition[name] as loader.MessageTypeDefinition<any, any>;

test('the fixed service equals resources/proto', () => {
  const path = join(projectDirectory(), 'resources', 'proto', 'tool', 'v1', 'tool.proto');
  expect(readFileSync(path, 'utf8')).toContain('service ToolService');
  const definition = loader.loadSync(path, LOADING);
  const published = readDescriptors(message(definition, 'tool.v1.InvokeRequest').fileDescriptorProtos);
  const ours = [...toolServiceTypes.messages].filter(([name]) => name.startsWith('tool.v1.'));
  expect(ours).toHaveLength(5);
  for (const [name, type] of ours) expect(published.messages.get(name)?.fields).toEqual(type.fields);
  expect(published.methods.get(TOOL_METHOD)).toEqual(toolServiceTypes.methods.get(TOOL_METHOD));
});

describe('against another implementation', () => {
  const { definition, types } = load(`
    message All {
      double a = 1; float b = 2; int64 c = 3; uint64 d = 4; int32 e = 5; fixed64 f = 6; fixed32 g = 7; bool h = 8; string i = 9;
      bytes j = 10; uint32 k = 11; sfixed32 l = 12; sfixed64 m = 13; sint32 n = 14; sint64 o = 15; Kind p = 16;
      repeated sint64 q = 17; repeated string r = 18; map<int32, All> s = 19; repeated All t = 20; All u = 21; map<bool, Kind> v = 22;
      repeated float w = 23 [packed = false];
    }
    enum Kind { NONE = 0; ONE = 1; OTHER = -5; }`);
  const All = message(definition, 't.v1.All');
  const int = (bits: number, signed: boolean) =>
    fc
      .bigInt(signed ? { min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n } : { min: 0n, max: 2n ** BigInt(bits) - 1n })
      .map((n) => (bits === 64 ? n.toString() : Number(n)));
  // Floats whose shortest decimal form is their own.
  const float = fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8 || 0);
  const kind = fc.constantFrom('NONE', 'ONE', 'OTHER');
  const scalars = {
    a: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
    b: float,
    c: int(64, true),
    d: int(64, false),
    e: int(32, true),
    f: int(64, false),
    g: int(32, false),
    h: fc.boolean(),
    i: fc.string({ unit: 'grapheme' }),
    k: int(32, false),
    l: int(32, true),
    m: int(64, true),
    n: int(32, true),
    o: int(64, true),
    p: kind,
    q: fc.array(int(64, true), { maxLength: 3 }),
    r: fc.array(fc.string(), { maxLength: 3 }),
    // protobufjs reads the key "false" as true.
    v: fc.dictionary(fc.constant('true'), kind),
    w: fc.array(float, { maxLength: 3 }),
  };
  const leaf = fc.record(scalars, { requiredKeys: [] });
  const nested = {
    s: fc.dictionary(int(32, true).map(String), leaf, { maxKeys: 2 }),
    t: fc.array(leaf, { maxLength: 2 }),
    u: leaf,
  };
  const all = fc.record({ ...scalars, ...nested }, { requiredKeys: [] });

  test('values encoded by either side mean the same to the other', () => {
    fc.assert(
      fc.property(all, (json) => {
        const ours = encodeJson(json, 't.v1.All', types);
        const theirs = All.deserialize(Buffer.from(ours));
        expect(decodeJson(All.serialize(theirs), 't.v1.All', types)).toEqual(decodeJson(ours, 't.v1.All', types));
        expect(decodeJson(ours, 't.v1.All', types)).toMatchObject(JSON.parse(JSON.stringify(json)));
      }),
      { numRuns: 60 },
    );
  });

  test('bytes at random end in a value or in a problem of the message, never in anything else', () => {
    const survives = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        if (!isMappingProblem(error)) throw error;
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        survives(() => decodeJson(bytes, 't.v1.All', types));
        for (const name of wellKnownTypes.messages.keys()) survives(() => decodeJson(bytes, name, types));
        survives(() => readDescriptors([bytes]));
        survives(() => readFields(bytes));
      }),
      { numRuns: 300 },
    );
  });

  test('maps of boolean keys have two', () => {
    const json = { v: { false: 'ONE', true: 'NONE' } };
    expect(decodeJson(encodeJson(json, 't.v1.All', types), 't.v1.All', types)).toMatchObject(json);
    expect(() => encodeJson({ v: { no: 'ONE' } }, 't.v1.All', types)).toThrow('input.v.no must have a key of type bool');
    expect(() => encodeJson({ s: { x: {} } }, 't.v1.All', types)).toThrow('input.s.x must have a key of type int32');
  });

  test('merges a message field that is sent in parts', () => {
    const part = (json: unknown) => fieldBytes(21, WIRE.bytes, encodeJson(json, 't.v1.All', types));
    const bytes = Buffer.concat([part({ e: 1, i: 'a' }), part({ e: 2 })]);
    expect(decodeJson(bytes, 't.v1.All', types)).toMatchObject({ u: { e: 2, i: 'a' } });
  });

  test('keys of an object’s own mechanics are keys', () => {
    const json = JSON.parse('{"fields":{"__proto__":1,"constructor":2}}') as { fields: object };
    const decoded = decodeJson(encodeJson(json.fields, 'google.protobuf.Struct', types), 'google.protobuf.Struct', types);
    expect(JSON.stringify(decoded)).toBe('{"__proto__":1,"constructor":2}');
    expect(({} as Record<string, unknown>)['fields']).toBeUndefined();
  });
});

describe('bounds', () => {
  const { types } = load('message Deep { Deep deep = 1; repeated Deep many = 2; }');

  test('nesting', () => {
    let json: Record<string, unknown> = {};
    let bytes: Uint8Array = new Uint8Array();
    for (let depth = 0; depth < 200; depth += 1) {
      json = { deep: json };
      bytes = fieldBytes(1, WIRE.bytes, bytes);
    }
    expect(() => encodeJson(json, 't.v1.Deep', types)).toThrow(MappingError);
    expect(() => decodeJson(bytes, 't.v1.Deep', types)).toThrow(MappingError);
  });

  test('few bytes that encode very many fields', () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, 'int32']));
    const names = Object.keys(fields).map((name, index) => `int32 ${name} = ${index + 1};`);
    const wide = load(`message Wide { ${names.join(' ')} } message List { repeated Wide items = 1; }`).types;
    const bytes = Buffer.concat(Array.from({ length: 100_000 }, () => fieldBytes(1, WIRE.bytes, new Uint8Array())));
    const started = process.cpuUsage();
    expect(() => decodeJson(bytes, 't.v1.List', wide)).toThrow('too many fields');
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
  });

  const repeated = (count: number, bytes: Uint8Array) => Buffer.concat(Array.from({ length: count }, () => bytes));
  const text = (number: number, value: string) => fieldBytes(number, WIRE.bytes, Buffer.from(value));

  test.each<[string, Uint8Array]>([
    ['unknown fields', repeated(700_000, fieldBytes(99, WIRE.varint, varintBytes(0n)))],
    ['packed numbers', fieldBytes(1, WIRE.bytes, new Uint8Array(700_000))],
    ['long names of an enum', fieldBytes(2, WIRE.bytes, new Uint8Array(50_000))],
  ])('%s', (_, bytes) => {
    const kinds = load(`message List { repeated int32 numbers = 1; repeated Kind kinds = 2; } enum Kind { ${'K'.repeat(500)} = 0; }`);
    expect(() => decodeJson(bytes, 't.v1.List', kinds.types)).toThrow('too many fields');
  });

  test.each<[string, () => Uint8Array, string]>([
    ['very many types', () => repeated(400_000, fieldBytes(4, WIRE.bytes, text(1, ''))), 'too many fields'],
    [
      'very many names to look up',
      () => {
        const field = fieldBytes(2, WIRE.bytes, Buffer.concat([fieldBytes(5, WIRE.varint, varintBytes(11n)), text(6, 'z')]));
        return fieldBytes(4, WIRE.bytes, Buffer.concat([text(1, 'a.'.repeat(20)), repeated(40_000, field)]));
      },
      'too many fields',
    ],
    ['a name that is too long', () => fieldBytes(4, WIRE.bytes, text(1, 'N'.repeat(513))), 'a name that is too long'],
  ])('a description of %s', (_, file, problem) => {
    expect(() => readDescriptors([file()])).toThrow(problem);
  });
});

describe('well-known types', () => {
  const { types } = load('message Any { int32 x = 1; }');
  test.each<[string, unknown]>([
    ['Timestamp', '1969-12-31T23:59:59.000000001Z'],
    ['Timestamp', '9999-12-31T23:59:59.999Z'],
    ['Duration', '-0.000001s'],
    ['Duration', '315576000000s'],
    ['FieldMask', 'aB,c'],
    ['Int64Value', '-9223372036854775808'],
    ['BoolValue', false],
    ['BytesValue', 'AP8='],
    ['DoubleValue', 'Infinity'],
    ['Value', null],
    ['Value', [1, 'a', { b: [] }, null]],
    ['ListValue', []],
    ['Struct', {}],
    ['Empty', {}],
    ['Any', { '@type': 'type.googleapis.com/t.v1.Any', x: 5 }],
    ['Any', { '@type': 'type.googleapis.com/google.protobuf.Duration', value: '1.500s' }],
  ])('%s %j comes back as it was', (name, json) => {
    const type = `google.protobuf.${name}`;
    expect(decodeJson(encodeJson(json, type, types), type, types)).toEqual(json);
  });

  test.each<[string, unknown]>([
    ['Timestamp', '2026-13-01T00:00:00Z'],
    ['Timestamp', 5],
    ['Duration', '1m'],
    ['BoolValue', 'yes'],
    ['Any', { '@type': 'type.googleapis.com/t.v1.Gone' }],
    ['Any', {}],
    ['UInt32Value', -1],
  ])('%s refuses %j', (name, json) => {
    expect(() => encodeJson(json, `google.protobuf.${name}`, types)).toThrow(MappingError);
  });
});
