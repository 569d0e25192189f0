// Asks a server for the types of one of its services, by server reflection. Trusts nothing: what a server sends is bounded and becomes data only.
// Source: grpc/reflection/v1/reflection.proto; v1alpha has the same fields.
import type { Call, Channel } from './channels.ts';
import { StatusError } from './channels.ts';
import { fileHead, readDescriptors } from './descriptors.ts';
import { joinRegistries, type TypeRegistry } from './message-types.ts';
import { fieldBudget, fieldBytes, readFields, WIRE, type FieldBudget } from './proto-wire.ts';
import { UNIMPLEMENTED } from './status-errors.ts';
import { wellKnownTypes } from './well-known-types.ts';

const METHODS = [
  'grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  'grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
];
const FILES_MAX = 256;
const BYTES_MAX = 4 * 1024 * 1024;

/** The server's descriptors are more than any service needs. */
export class ReflectionTooLarge extends Error {
  override readonly name = 'ReflectionTooLarge';
}

/** Reads the types of the service and of everything they refer to; types the server lacks are left out. Rejects with StatusError, WireError, ReflectionTooLarge, or the signal's reason. */
export async function reflectService(channel: Channel, service: string, call: Omit<Call, 'method'>): Promise<TypeRegistry> {
  for (const method of METHODS) {
    const asked = new Exploration(service);
    try {
      await channel.converse({ ...call, method }, (answer) => asked.next(answer));
      return joinRegistries(readDescriptors(asked.files), wellKnownTypes);
    } catch (error) {
      const older = error instanceof StatusError && error.status.code === UNIMPLEMENTED && method !== METHODS.at(-1);
      if (!older) throw error;
    }
  }
  throw new Error('unreachable');
}

/** One conversation: first the service, then each file that others import. */
class Exploration {
  readonly #files = new Map<string, Uint8Array>();
  readonly #asked = new Set<string>();
  readonly #wanted: string[] = [];
  readonly #service: string;
  readonly #budget = fieldBudget();
  #answers = 0;
  #bytes = 0;

  constructor(service: string) {
    this.#service = service;
  }

  get files(): Uint8Array[] {
    return [...this.#files.values()];
  }

  /** The next request, after the answer to the last one; undefined when everything is known. */
  next(answer: Uint8Array | undefined): Uint8Array | undefined {
    if (answer === undefined) return fieldBytes(4, WIRE.bytes, Buffer.from(this.#service));
    this.#answers += 1;
    this.#bytes += answer.length;
    if (this.#answers > FILES_MAX || this.#bytes > BYTES_MAX) throw new ReflectionTooLarge();
    for (const file of filesOf(answer, this.#budget)) this.#add(file);
    const name = this.#wanted.shift();
    return name === undefined ? undefined : fieldBytes(3, WIRE.bytes, Buffer.from(name));
  }

  #add(file: Uint8Array): void {
    const { name, dependencies } = fileHead(file, this.#budget);
    this.#files.set(name, file);
    this.#asked.add(name);
    for (const dependency of dependencies) {
      if (this.#asked.has(dependency)) continue;
      this.#asked.add(dependency);
      this.#wanted.push(dependency);
    }
    if (this.#asked.size > FILES_MAX) throw new ReflectionTooLarge();
  }
}

/** `file_descriptor_response.file_descriptor_proto`; an error response has none. */
function filesOf(answer: Uint8Array, budget: FieldBudget): Uint8Array[] {
  const bytesAt = (message: Uint8Array, number: number) =>
    readFields(message, budget).flatMap((field) => (field.number === number && field.value instanceof Uint8Array ? [field.value] : []));
  return bytesAt(answer, 4).flatMap((response) => bytesAt(response, 1));
}
