// The wire format of Protocol Buffers: tags, varints, fixed numbers, lengths. Independent of any message type. Pure.
// Source: protobuf.dev "Encoding".

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;
const GROUP_DEPTH_MAX = 64;
/** Fields that one conversion may visit: a few bytes can stand for many messages of many fields. */
const FIELDS_MAX = 600_000;
const UINT64 = (1n << 64n) - 1n;

/** Bytes that are not a message. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** One field as it was sent: a varint or fixed number as its unsigned bits, or bytes. */
export interface WireField {
  readonly number: number;
  readonly wire: number;
  readonly value: bigint | Uint8Array;
}

/** Fields that may still be visited. */
export interface FieldBudget {
  fields: number;
}

export const fieldBudget = (): FieldBudget => ({ fields: FIELDS_MAX });

/** Throws WireError when nothing is left. */
export function spend(budget: FieldBudget, fields: number): void {
  budget.fields -= fields;
  if (budget.fields < 0) throw new WireError('it has too many fields');
}

/** The fields of a message in the order they were sent; groups are skipped. Throws WireError. */
export function readFields(bytes: Uint8Array, budget: FieldBudget = fieldBudget()): WireField[] {
  const reader = new WireReader(bytes);
  const fields: WireField[] = [];
  while (!reader.done) {
    spend(budget, 1);
    const field = reader.field();
    if (field) fields.push(field);
  }
  return fields;
}

export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Undefined for a group, which is passed over. */
  field(): WireField | undefined {
    const tag = Number(this.varint());
    const wire = tag & 7;
    const number = Math.floor(tag / 8);
    if (number === 0) throw new WireError('it has a field without a number');
    if (wire === WIRE.startGroup) return this.#skipGroup(number, 0);
    return { number, wire, value: this.value(wire) };
  }

  value(wire: number): bigint | Uint8Array {
    if (wire === WIRE.varint) return this.varint();
    if (wire === WIRE.fixed64) return this.#view.getBigUint64(this.#take(8), true);
    if (wire === WIRE.fixed32) return BigInt(this.#view.getUint32(this.#take(4), true));
    if (wire !== WIRE.bytes) throw new WireError('it has a field of an unknown wire type');
    const length = Number(this.varint());
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#take(1)] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value & UINT64;
    }
    throw new WireError('it has a number that is too long');
  }

  #take(length: number): number {
    if (length > this.#bytes.length - this.#at) throw new WireError('it ends in the middle');
    this.#at += length;
    return this.#at - length;
  }

  #skipGroup(number: number, depth: number): undefined {
    if (depth > GROUP_DEPTH_MAX) throw new WireError('it is nested too deeply');
    for (;;) {
      const tag = Number(this.varint());
      const wire = tag & 7;
      if (wire === WIRE.endGroup) {
        if (Math.floor(tag / 8) !== number) throw new WireError('it has a group that ends elsewhere');
        return undefined;
      }
      if (wire === WIRE.startGroup) this.#skipGroup(Math.floor(tag / 8), depth + 1);
      else this.value(wire);
    }
  }
}

export function varintBytes(value: bigint): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value & UINT64; ; rest >>= 7n) {
    if (rest < 0x80n) return Uint8Array.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

export function fixedBytes(value: bigint, size: 4 | 8): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  if (size === 4) view.setUint32(0, Number(value & 0xffff_ffffn), true);
  else view.setBigUint64(0, value & UINT64, true);
  return bytes;
}

/** A field with its tag; bytes get their length in front. */
export function fieldBytes(...[number, wire, value]: [number, number, Uint8Array]): Uint8Array {
  const tag = varintBytes(BigInt(number) * 8n + BigInt(wire));
  return wire === WIRE.bytes ? Buffer.concat([tag, varintBytes(BigInt(value.length)), value]) : Buffer.concat([tag, value]);
}
