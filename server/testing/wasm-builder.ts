// Builds small WebAssembly modules for tests, byte by byte. Source: WebAssembly Core Specification, "Binary Format".

export const I32 = 0x7f;

/** One instruction after the other, as bytes. */
export type Code = readonly (number | readonly number[])[];

interface FunctionType {
  readonly parameters?: readonly number[];
  readonly results?: readonly number[];
}

export interface BuiltImport {
  readonly module?: string;
  readonly name: string;
  readonly type: FunctionType;
}

export interface ModulePlan {
  /** Functions of wasi_snapshot_preview1 unless they say otherwise; their indexes come first. */
  readonly imports?: readonly BuiltImport[];
  readonly functions: readonly { readonly name?: string; readonly type?: FunctionType; readonly locals?: number; readonly code: Code }[];
  /** Pages; absent: no memory at all. */
  readonly memory?: { readonly minimum: number; readonly maximum?: number; readonly flags?: number };
  readonly tables?: readonly { readonly minimum: number; readonly maximum?: number }[];
  readonly data?: readonly { readonly at: number; readonly bytes: Uint8Array }[];
  readonly exportsMemory?: boolean;
  /** Index of the function that runs at instantiation. */
  readonly start?: number;
  /** Sections to add as they are, before all others. */
  readonly raw?: readonly { readonly id: number; readonly body: readonly number[] }[];
}

export function leb(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...leb(Math.floor(value / 128))];
}

/** Signed LEB128 of a 32-bit number. */
function sleb(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return done ? [low] : [low | 0x80, ...sleb(rest)];
}

const vector = (items: readonly (readonly number[])[]): number[] => [...leb(items.length), ...items.flat()];
const name = (text: string): number[] => vector([...Buffer.from(text)].map((byte) => [byte]));
const section = (id: number, body: readonly number[]): number[] => [id, ...leb(body.length), ...body];
const limits = ({ minimum, maximum, flags }: { minimum: number; maximum?: number; flags?: number }): number[] => [
  flags ?? (maximum === undefined ? 0 : 1),
  ...leb(minimum),
  ...(maximum === undefined ? [] : leb(maximum)),
];

export const op = {
  call: (index: number) => [0x10, ...leb(index)],
  i32: (value: number) => [0x41, ...sleb(value)],
  load: (offset = 0) => [0x28, 2, ...leb(offset)],
  store: (offset = 0) => [0x36, 2, ...leb(offset)],
  drop: [0x1a],
  unreachable: [0x00],
  grow: [0x40, 0],
  loop: (...body: Code) => [0x03, 0x40, ...body.flat(), 0x0b],
  if: (...body: Code) => [0x04, 0x40, ...body.flat(), 0x0b],
  branch: (depth: number) => [0x0c, ...leb(depth)],
  equal: [0x46],
  notEqual: [0x47],
} as const;

export function buildModule(plan: ModulePlan): Uint8Array {
  const { imports = [], functions, memory, tables = [], data = [], exportsMemory = memory !== undefined, start, raw = [] } = plan;
  const types = [...imports.map(({ type }) => type), ...functions.map(({ type }) => type ?? {})];
  const typeSection = vector(
    types.map(({ parameters = [], results = [] }) => [0x60, ...vector(parameters.map((t) => [t])), ...vector(results.map((t) => [t]))]),
  );
  const exported = [
    ...functions.flatMap((f, index) => (f.name === undefined ? [] : [[...name(f.name), 0, ...leb(imports.length + index)]])),
    ...(exportsMemory ? [[...name('memory'), 2, 0]] : []),
  ];
  const bodies = functions.map(({ locals = 0, code }) => {
    const body = [...(locals === 0 ? [0] : [1, ...leb(locals), I32]), ...code.flat(), 0x0b];
    return [...leb(body.length), ...body];
  });
  const sections = [
    ...raw.map(({ id, body }) => section(id, body)),
    section(1, typeSection),
    section(
      2,
      vector(imports.map(({ module = 'wasi_snapshot_preview1', name: of }, index) => [...name(module), ...name(of), 0, ...leb(index)])),
    ),
    section(3, vector(functions.map((_, index) => leb(imports.length + index)))),
    ...(tables.length > 0 ? [section(4, vector(tables.map((table) => [0x70, ...limits(table)])))] : []),
    ...(memory ? [section(5, vector([limits(memory)]))] : []),
    section(7, vector(exported)),
    ...(start === undefined ? [] : [section(8, leb(start))]),
    section(10, vector(bodies)),
    section(11, vector(data.map(({ at, bytes }) => [0, ...op.i32(at), 0x0b, ...leb(bytes.length), ...bytes]))),
  ];
  return Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);
}

export const wasi = {
  fdWrite: { name: 'fd_write', type: { parameters: [I32, I32, I32, I32], results: [I32] } },
  fdRead: { name: 'fd_read', type: { parameters: [I32, I32, I32, I32], results: [I32] } },
  procExit: { name: 'proc_exit', type: { parameters: [I32] } },
} as const satisfies Record<string, BuiltImport>;

/** Where `writes` keeps its iovec; texts lie past it. */
const IOVEC = 0;
const WRITTEN = 8;

/** Code that writes `length` bytes at `at` to a descriptor; `fdWrite` is the index of fd_write. */
export function writes(fd: number, { at, length, fdWrite = 0 }: { at: number; length: number; fdWrite?: number }): Code {
  return [
    ...[op.i32(IOVEC), op.i32(at), op.store(), op.i32(IOVEC), op.i32(length), op.store(4)],
    ...[op.i32(fd), op.i32(IOVEC), op.i32(1), op.i32(WRITTEN), op.call(fdWrite), op.drop],
  ];
}

/** A module with one page of memory that runs `code` and then writes `reply` to standard output. fd_write is function 0, `imports` follow. */
export function replying(reply: unknown, { code = [], imports = [], ...plan }: { code?: Code } & Partial<ModulePlan> = {}): Uint8Array {
  const bytes = Buffer.from(typeof reply === 'string' ? reply : JSON.stringify(reply));
  return buildModule({
    memory: { minimum: 1 },
    ...plan,
    imports: [wasi.fdWrite, ...imports],
    functions: [{ name: '_start', code: [...code, ...writes(1, { at: 1024, length: bytes.length })] }, ...(plan.functions ?? [])],
    data: [{ at: 1024, bytes }],
  });
}
