// A trace collector on loopback: takes OTLP over HTTP, reads the protobuf, and shows the spans that came.
import { startLoopbackServer, type Answer, type SeenRequest } from './loopback-server.ts';

type AttributeValue = string | number | boolean | readonly unknown[];

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  /** As on the wire: 1 internal, 3 client. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** As on the wire: 0 unset, 2 error. */
  readonly statusCode: number;
  readonly resource: Readonly<Record<string, AttributeValue>>;
}

export interface OtlpCollector {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** All spans so far, in the order they came. */
  readonly spans: () => CollectedSpan[];
  /** Everything that was sent, as text, to look for what must not be in it. */
  readonly sent: () => string;
  readonly close: () => Promise<void>;
}

/** `answers` as of a loopback server; default 200 to everything. */
export async function startOtlpCollector(...answers: Answer[]): Promise<OtlpCollector> {
  const accept: Answer = (response) => void response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  const server = await startLoopbackServer(...(answers.length > 0 ? answers : [accept]));
  return {
    url: server.url,
    seen: server.seen,
    spans: () => server.seen.flatMap(({ bytes }) => readExport(bytes)),
    sent: () => server.seen.map(({ bytes }) => bytes.toString('latin1')).join('\n'),
    close: () => server.close(),
  };
}

// ---------------------------------------------------------------- protobuf

interface Field {
  readonly number: number;
  /** Content of a length-delimited field. */
  readonly bytes: Buffer;
  /** Content of a varint or a fixed field. */
  readonly value: bigint;
}

const NO_BYTES = Buffer.alloc(0);

function readVarint(buffer: Buffer, at: number): [value: bigint, next: number] {
  let value = 0n;
  for (let shift = 0n, place = at; ; shift += 7n, place += 1) {
    const byte = buffer.readUInt8(place);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [value, place + 1];
  }
}

function* fieldsOf(buffer: Buffer): Generator<Field> {
  let at = 0;
  while (at < buffer.length) {
    const [tag, body] = readVarint(buffer, at);
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0: {
        const [value, next] = readVarint(buffer, body);
        yield { number, bytes: NO_BYTES, value };
        at = next;
        break;
      }
      case 1:
        yield { number, bytes: buffer.subarray(body, body + 8), value: buffer.readBigUInt64LE(body) };
        at = body + 8;
        break;
      case 2: {
        const [length, start] = readVarint(buffer, body);
        at = start + Number(length);
        yield { number, bytes: buffer.subarray(start, at), value: 0n };
        break;
      }
      case 5:
        yield { number, bytes: buffer.subarray(body, body + 4), value: BigInt(buffer.readUInt32LE(body)) };
        at = body + 4;
        break;
      default:
        throw new Error(`wire type ${tag & 7n} in a trace export`);
    }
  }
}

const messages = (buffer: Buffer, number: number): Buffer[] =>
  [...fieldsOf(buffer)].filter((field) => field.number === number).map(({ bytes }) => bytes);
const text = (buffer: Buffer, number: number): string => messages(buffer, number)[0]?.toString('utf8') ?? '';
const hex = (buffer: Buffer, number: number): string => messages(buffer, number)[0]?.toString('hex') ?? '';
const integer = (buffer: Buffer, number: number): number =>
  Number([...fieldsOf(buffer)].find((field) => field.number === number)?.value ?? 0n);

function readValue(buffer: Buffer): AttributeValue {
  for (const { number, bytes, value } of fieldsOf(buffer)) {
    if (number === 1) return bytes.toString('utf8');
    if (number === 2) return value === 1n;
    if (number === 3) return Number(BigInt.asIntN(64, value));
    if (number === 4) return bytes.readDoubleLE(0);
    if (number === 5) return messages(bytes, 1).map(readValue);
  }
  return '';
}

function readAttributes(pairs: readonly Buffer[]): Record<string, AttributeValue> {
  return Object.fromEntries(pairs.map((pair) => [text(pair, 1), readValue(messages(pair, 2)[0] ?? NO_BYTES)]));
}

function readSpan(span: Buffer, resource: CollectedSpan['resource']): CollectedSpan {
  const millis = (number: number) => integer(span, number) / 1e6;
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentSpanId: hex(span, 4),
    name: text(span, 5),
    kind: integer(span, 6),
    startMs: millis(7),
    endMs: millis(8),
    attributes: readAttributes(messages(span, 9)),
    statusCode: integer(messages(span, 15)[0] ?? NO_BYTES, 3),
    resource,
  };
}

function readExport(body: Buffer): CollectedSpan[] {
  return messages(body, 1).flatMap((group) => {
    const resource = readAttributes(messages(messages(group, 1)[0] ?? NO_BYTES, 1));
    return messages(group, 2).flatMap((scope) => messages(scope, 2).map((span) => readSpan(span, resource)));
  });
}
