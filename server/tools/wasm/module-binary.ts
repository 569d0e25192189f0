// The binary form of a WebAssembly module, as far as its policy needs it: what it imports and exports, and how far its memory may grow. Pure.
// Source: WebAssembly Core Specification, "Binary Format". The engine's own validation follows; nothing here replaces it.

export const PAGE_BYTES = 65_536;
/** Entries of all tables together: they live on the thread's heap, outside the memory limit. */
const TABLE_ENTRIES_MAX = 100_000;
const TABLES_MAX = 16;
/** Maximum number of items in one section: they are read on the main thread. */
const ITEMS_MAX = 200_000;
/** Sections, which may be empty: compilers make a few custom ones. */
const SECTIONS_MAX = 1_000;
/** Parameters, and results, of one function: as many as the engine takes. */
const VALUES_MAX = 1_000;
const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const FUNCTION_TYPE = 0x60;
const KINDS = ['function', 'table', 'memory', 'global', 'tag'] as const;
const VALUE_TYPE_I32 = 0x7f;

type ExternKind = (typeof KINDS)[number];

interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: ExternKind;
}

interface FunctionShape {
  readonly parameters: number;
  /** `i32` where that is the one result. */
  readonly result: 'none' | 'i32' | 'other';
}

export interface ModuleFacts {
  readonly imports: readonly ModuleImport[];
  /** Exported functions by name; what else is exported by its kind. */
  readonly functions: ReadonlyMap<string, FunctionShape>;
  readonly exports: ReadonlyMap<string, ExternKind>;
  /** Size of the module's own memory, in pages; undefined where it has none. */
  readonly memory?: { readonly minimum: number; readonly maximum?: number };
}

/** The module is invalid, or has a part that cannot be limited. The message is for the tool's author. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
}

interface Section {
  readonly id: number;
  readonly body: Uint8Array;
}

const SECTION = { type: 1, import: 2, function: 3, table: 4, memory: 5, export: 7 } as const;

/** Declarations of the module. Throws ModuleError. */
export function readModule(bytes: Uint8Array): ModuleFacts {
  const sections = readSections(bytes);
  const read = <T>(id: number, parse: (reader: Reader) => T): T[] => {
    const section = sections.find((candidate) => candidate.id === id);
    return section ? vector(new Reader(section.body), parse) : [];
  };
  const types = read(SECTION.type, readFunctionType);
  const imports = read(SECTION.import, readImport);
  const functionTypes = [...imports.flatMap(({ typeIndex }) => typeIndex ?? []), ...read(SECTION.function, (reader) => reader.u32())];
  checkTables(read(SECTION.table, readTable));
  const memories = read(SECTION.memory, readMemory);
  if (memories.length > 1) throw new ModuleError('has several memories, and one is supported');
  const exported = read(SECTION.export, readExport);
  const shapeOf = (index: number) => types[functionTypes[index] ?? -1] ?? { parameters: -1, result: 'other' as const };
  const [memory] = memories;
  return {
    imports: imports.map(({ module, name, kind }) => ({ module, name, kind })),
    exports: new Map(exported.map(({ name, kind }) => [name, kind])),
    functions: new Map(exported.filter(({ kind }) => kind === 'function').map(({ name, index }) => [name, shapeOf(index)])),
    ...(memory && { memory }),
  };
}

/** The same module with its memory held to `maximumPages` and its tables to what a host can bear; custom sections are left out. Throws ModuleError. */
export function limitModule(bytes: Uint8Array, maximumPages: number): Uint8Array {
  const parts = readSections(bytes)
    .filter(({ id }) => id !== 0)
    .flatMap((section): Uint8Array[] => {
      const body = limitSection(section, maximumPages);
      return [Uint8Array.from([section.id, ...u32Bytes(body.length)]), body];
    });
  return Buffer.concat([Uint8Array.from(HEADER), ...parts]);
}

function limitSection({ id, body }: Section, maximumPages: number): Uint8Array {
  if (id === SECTION.memory) {
    const memories = vector(new Reader(body), readMemory);
    return Uint8Array.from([...u32Bytes(memories.length), ...memories.flatMap((memory) => limitsBytes(memory, maximumPages))]);
  }
  if (id !== SECTION.table) return body;
  const tables = vector(new Reader(body), readTable);
  const each = Math.floor(TABLE_ENTRIES_MAX / Math.max(1, tables.length));
  return Uint8Array.from([
    ...u32Bytes(tables.length),
    ...tables.flatMap((table) => [table.type, ...limitsBytes(table, Math.max(each, table.minimum))]),
  ]);
}

interface Limits {
  readonly minimum: number;
  readonly maximum?: number;
}

function limitsBytes({ minimum, maximum }: Limits, ceiling: number): number[] {
  return [1, ...u32Bytes(minimum), ...u32Bytes(Math.min(maximum ?? ceiling, ceiling))];
}

function checkTables(tables: readonly Limits[]): void {
  const entries = tables.reduce((sum, { minimum }) => sum + minimum, 0);
  if (tables.length > TABLES_MAX) throw new ModuleError(`has ${tables.length} tables, and ${TABLES_MAX} are permitted`);
  if (entries > TABLE_ENTRIES_MAX) throw new ModuleError(`has tables of ${entries} entries, and ${TABLE_ENTRIES_MAX} are permitted`);
}

// ---------------------------------------------------------------- sections

function readSections(bytes: Uint8Array): Section[] {
  if (!HEADER.every((byte, index) => bytes[index] === byte)) throw new ModuleError('is not a WebAssembly module of version 1');
  const reader = new Reader(bytes.subarray(HEADER.length));
  const sections: Section[] = [];
  while (!reader.done) {
    if (sections.length === SECTIONS_MAX) throw new ModuleError(`has more than ${SECTIONS_MAX} sections`);
    sections.push({ id: reader.byte(), body: reader.bytes(reader.u32()) });
  }
  const own = sections.filter(({ id }) => id !== 0).map(({ id }) => id);
  if (new Set(own).size !== own.length) throw new ModuleError('has a section twice');
  return sections;
}

/** Only plain functions: garbage-collected types would be allocated past every limit here. */
function readFunctionType(reader: Reader): FunctionShape {
  if (reader.byte() !== FUNCTION_TYPE) throw new ModuleError('declares types other than functions, which are not supported');
  const parameters = vector(reader, readValueType, VALUES_MAX);
  const results = vector(reader, readValueType, VALUES_MAX);
  const result = results.length === 0 ? 'none' : results.length === 1 && results[0] === VALUE_TYPE_I32 ? 'i32' : 'other';
  return { parameters: parameters.length, result };
}

/** Typed references are longer than a byte; they need types that are not supported either. */
function readValueType(reader: Reader): number {
  const type = reader.byte();
  if (type === 0x63 || type === 0x64) throw new ModuleError('uses typed references, which are not supported');
  return type;
}

function readImport(reader: Reader): ModuleImport & { typeIndex?: number } {
  const module = reader.name();
  const name = reader.name();
  const kind = readKind(reader);
  if (kind === 'function') return { module, name, kind, typeIndex: reader.u32() };
  if (kind === 'table') readTable(reader);
  if (kind === 'memory') readMemory(reader);
  if (kind === 'global') reader.bytes(2);
  if (kind === 'tag') [reader.byte(), reader.u32()].at(0);
  return { module, name, kind };
}

function readExport(reader: Reader): { name: string; kind: ExternKind; index: number } {
  return { name: reader.name(), kind: readKind(reader), index: reader.u32() };
}

function readKind(reader: Reader): ExternKind {
  const kind = KINDS[reader.byte()];
  if (!kind) throw new ModuleError('has an import or export of an unknown kind');
  return kind;
}

function readTable(reader: Reader): Limits & { type: number } {
  const type = reader.byte();
  if (type !== 0x70 && type !== 0x6f) throw new ModuleError('has a table of a kind that is not supported');
  return { type, ...readLimits(reader) };
}

function readMemory(reader: Reader): Limits {
  return readLimits(reader);
}

/** Flags past these are shared memories, 64-bit memories and page sizes of one's own. */
function readLimits(reader: Reader): Limits {
  const flags = reader.byte();
  if (flags > 1) throw new ModuleError('has a shared or 64-bit memory, which is not supported');
  const minimum = reader.u32();
  return flags === 1 ? { minimum, maximum: reader.u32() } : { minimum };
}

function vector<T>(reader: Reader, parse: (reader: Reader) => T, max = ITEMS_MAX): T[] {
  const count = reader.count();
  if (count > max) throw new ModuleError(`has a list of ${count} items, and at most ${max} are supported there`);
  return Array.from({ length: count }, () => parse(reader));
}

/** Unsigned LEB128. */
function u32Bytes(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >>> 7;
  return rest === 0 ? [low] : [low | 0x80, ...u32Bytes(rest)];
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new ModuleError('ends in the middle');
    this.#at += 1;
    return byte;
  }

  bytes(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new ModuleError('ends in the middle');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new ModuleError('has a number that is too long');
  }

  /** A number of items, each at least one byte. */
  count(): number {
    const count = this.u32();
    if (count > this.#bytes.length - this.#at) throw new ModuleError('ends in the middle');
    return count;
  }

  name(): string {
    return Buffer.from(this.bytes(this.u32())).toString('utf8');
  }
}
