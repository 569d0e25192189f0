// Scalar values of Protocol Buffers: JSON ↔ the bits on the wire. Pure. Source: protobuf.dev "ProtoJSON Format" and "Encoding".
import type { ScalarType } from './message-types.ts';
import { fixedBytes, varintBytes, WIRE } from './proto-wire.ts';

interface IntegerType {
  readonly bits: 32 | 64;
  readonly signed: boolean;
  readonly wire: 'varint' | 'zigzag' | 'fixed';
}

const INTEGERS: Readonly<Partial<Record<ScalarType, IntegerType>>> = {
  int32: { bits: 32, signed: true, wire: 'varint' },
  int64: { bits: 64, signed: true, wire: 'varint' },
  uint32: { bits: 32, signed: false, wire: 'varint' },
  uint64: { bits: 64, signed: false, wire: 'varint' },
  sint32: { bits: 32, signed: true, wire: 'zigzag' },
  sint64: { bits: 64, signed: true, wire: 'zigzag' },
  fixed32: { bits: 32, signed: false, wire: 'fixed' },
  fixed64: { bits: 64, signed: false, wire: 'fixed' },
  sfixed32: { bits: 32, signed: true, wire: 'fixed' },
  sfixed64: { bits: 64, signed: true, wire: 'fixed' },
};
const SPECIAL_NUMBERS: Readonly<Record<string, number>> = { NaN, Infinity, '-Infinity': -Infinity };
const INTEGER_TEXT = /^-?\d{1,20}$/;
const NUMBER_TEXT = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const FLOAT_MAX = 3.4028234663852886e38;

export function scalarWire(type: ScalarType): number {
  if (type === 'string' || type === 'bytes') return WIRE.bytes;
  if (type === 'double') return WIRE.fixed64;
  if (type === 'float') return WIRE.fixed32;
  const integer = INTEGERS[type];
  if (integer?.wire !== 'fixed') return WIRE.varint;
  return integer.bits === 64 ? WIRE.fixed64 : WIRE.fixed32;
}

/** The encoded value after its tag, without a length; undefined when it is no value of the type. */
export function scalarBytes(value: unknown, type: ScalarType): Uint8Array | undefined {
  if (type === 'string') return typeof value === 'string' ? Buffer.from(value, 'utf8') : undefined;
  if (type === 'bytes') return typeof value === 'string' && BASE64.test(value) ? Buffer.from(value, 'base64') : undefined;
  if (type === 'bool') return typeof value === 'boolean' ? varintBytes(value ? 1n : 0n) : undefined;
  if (type === 'double' || type === 'float') return floatBytes(value, type);
  const integer = INTEGERS[type];
  const number = integer && integerOf(value);
  if (!integer || number === undefined || !inRange(number, integer)) return undefined;
  if (integer.wire === 'fixed') return fixedBytes(BigInt.asUintN(integer.bits, number), integer.bits === 64 ? 8 : 4);
  return varintBytes(integer.wire === 'zigzag' ? zigzag(number) : BigInt.asUintN(64, number));
}

/** The JSON of what was sent; 64-bit numbers are text, bytes base64. */
export function readScalar(value: bigint | Uint8Array, type: ScalarType): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString(type === 'bytes' ? 'base64' : 'utf8');
  if (type === 'bool') return value !== 0n;
  if (type === 'double' || type === 'float') return readFloat(value, type);
  const integer = INTEGERS[type];
  if (!integer) return undefined;
  const bits = integer.wire === 'zigzag' ? unzigzag(value) : value;
  const number = integer.signed ? BigInt.asIntN(integer.bits, bits) : BigInt.asUintN(integer.bits, bits);
  return integer.bits === 64 ? number.toString() : Number(number);
}

export function defaultOf(type: ScalarType): unknown {
  if (type === 'string' || type === 'bytes') return '';
  if (type === 'bool') return false;
  return INTEGERS[type]?.bits === 64 ? '0' : 0;
}

function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && INTEGER_TEXT.test(value) ? BigInt(value) : undefined;
}

function inRange(number: bigint, { bits, signed }: IntegerType): boolean {
  return (signed ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number)) === number;
}

function zigzag(number: bigint): bigint {
  return number < 0n ? -number * 2n - 1n : number * 2n;
}

function unzigzag(bits: bigint): bigint {
  return (bits & 1n) === 1n ? -(bits >> 1n) - 1n : bits >> 1n;
}

function floatBytes(value: unknown, type: 'double' | 'float'): Uint8Array | undefined {
  const number = typeof value === 'string' ? (SPECIAL_NUMBERS[value] ?? (NUMBER_TEXT.test(value) ? Number(value) : undefined)) : value;
  if (typeof number !== 'number') return undefined;
  if (type === 'float' && Number.isFinite(number) && Math.abs(number) > FLOAT_MAX) return undefined;
  const bytes = new Uint8Array(type === 'double' ? 8 : 4);
  const view = new DataView(bytes.buffer);
  if (type === 'double') view.setFloat64(0, number, true);
  else view.setFloat32(0, number, true);
  return bytes;
}

function readFloat(bits: bigint, type: 'double' | 'float'): number | string {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, true);
  const number = type === 'double' ? view.getFloat64(0, true) : shortest(view.getFloat32(0, true));
  return Number.isFinite(number) ? number : String(number);
}

/** The shortest number that is the same float: 0.1 rather than 0.10000000149011612. */
function shortest(float: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const candidate = Number(float.toPrecision(digits));
    if (Math.fround(candidate) === float) return candidate;
  }
  return float;
}
