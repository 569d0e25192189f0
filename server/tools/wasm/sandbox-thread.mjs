// The program of a sandbox thread: runs one WebAssembly instance per message with WASI preview 1 and nothing of the host behind it.
// Plain JavaScript, because threads load it from the sources and from the build output alike. WASI is written out here rather than taken
// from node:wasi: that one hands a module the process's own file descriptors and its signals.
import { parentPort } from 'node:worker_threads';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

const SUCCESS = 0;
const EBADF = 8;
const EFAULT = 21;
const EINVAL = 28;
const ENOSYS = 52;
const ESPIPE = 70;
const IOVECS_MAX = 1024;
const SUBSCRIPTIONS_MAX = 64;
const RANDOM_CHUNK = 65_536;
const RIGHT_READ = 1n << 1n;
const RIGHT_WRITE = 1n << 6n;
const RIGHT_POLL = 1n << 27n;

/** Thrown through the module to end it; a module that catches it gets it again from its next call. */
class Ended extends Error {}

/** The WASI functions of one run, over the memory that `memoryOf` answers with. */
function createWasi(job, memoryOf) {
  const run = { exitCode: /** @type {number | undefined} */ (undefined), flooded: false, ended: false };
  const stdout = { chunks: [], bytes: 0, max: job.outputMaxBytes };
  const stderr = { chunks: [], bytes: 0, max: job.stderrMaxBytes };
  const open = [true, true, true];
  const started = performance.now();
  let read = 0;

  const view = () => new DataView(memoryOf().buffer);
  const bytes = (at, length) => new Uint8Array(memoryOf().buffer, at >>> 0, length >>> 0);
  const end = () => {
    run.ended = true;
    throw new Ended();
  };
  const isOpen = (fd) => open[fd] === true;
  const iovecs = (at, count) => {
    const memory = view();
    return Array.from({ length: count }, (_, index) => {
      const entry = (at >>> 0) + index * 8;
      return bytes(memory.getUint32(entry, true), memory.getUint32(entry + 4, true));
    });
  };
  const keep = (stream, chunk) => {
    const kept = chunk.slice(0, Math.max(0, stream.max - stream.bytes));
    stream.bytes += chunk.length;
    if (kept.length > 0) stream.chunks.push(kept);
  };
  const strings = (values) => {
    const encoded = values.map((value) => new TextEncoder().encode(`${value}\0`));
    const size = encoded.reduce((sum, { length }) => sum + length, 0);
    return {
      get(pointers, buffer) {
        let at = buffer >>> 0;
        encoded.forEach((value, index) => {
          view().setUint32((pointers >>> 0) + index * 4, at, true);
          bytes(at, value.length).set(value);
          at += value.length;
        });
        return SUCCESS;
      },
      sizes(count, length) {
        view().setUint32(count >>> 0, encoded.length, true);
        view().setUint32(length >>> 0, size, true);
        return SUCCESS;
      },
    };
  };
  const nanoseconds = (clock) =>
    clock === 0 ? BigInt(Date.now()) * 1_000_000n : BigInt(Math.round((performance.now() - started) * 1_000)) * 1_000n;

  const args = strings(['tool']);
  const environ = strings(job.env);
  const functions = {
    args_get: args.get,
    args_sizes_get: args.sizes,
    environ_get: environ.get,
    environ_sizes_get: environ.sizes,
    clock_res_get(clock, out) {
      if (clock > 3) return EINVAL;
      view().setBigUint64(out >>> 0, clock === 0 ? 1_000_000n : 1_000n, true);
      return SUCCESS;
    },
    clock_time_get(clock, _precision, out) {
      if (clock > 3) return EINVAL;
      view().setBigUint64(out >>> 0, nanoseconds(clock), true);
      return SUCCESS;
    },
    random_get(at, length) {
      const target = bytes(at, length);
      for (let from = 0; from < target.length; from += RANDOM_CHUNK) crypto.getRandomValues(target.subarray(from, from + RANDOM_CHUNK));
      return SUCCESS;
    },
    fd_close(fd) {
      if (!isOpen(fd)) return EBADF;
      open[fd] = false;
      return SUCCESS;
    },
    fd_fdstat_get(fd, out) {
      if (!isOpen(fd)) return EBADF;
      bytes(out, 24).fill(0);
      view().setBigUint64((out >>> 0) + 8, (fd === 0 ? RIGHT_READ : RIGHT_WRITE) | RIGHT_POLL, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags: (fd) => (isOpen(fd) ? SUCCESS : EBADF),
    fd_filestat_get(fd, out) {
      if (!isOpen(fd)) return EBADF;
      bytes(out, 64).fill(0);
      return SUCCESS;
    },
    fd_seek: (fd) => (isOpen(fd) ? ESPIPE : EBADF),
    fd_tell: (fd) => (isOpen(fd) ? ESPIPE : EBADF),
    fd_read(fd, at, count, out) {
      if (fd !== 0 || !open[0]) return EBADF;
      if (count > IOVECS_MAX) return EINVAL;
      const before = read;
      for (const target of iovecs(at, count)) {
        const chunk = job.stdin.subarray(read, read + target.length);
        target.set(chunk);
        read += chunk.length;
      }
      view().setUint32(out >>> 0, read - before, true);
      return SUCCESS;
    },
    fd_write(fd, at, count, out) {
      if (!isOpen(fd) || fd === 0) return EBADF;
      if (count > IOVECS_MAX) return EINVAL;
      const stream = fd === 1 ? stdout : stderr;
      let written = 0;
      for (const chunk of iovecs(at, count)) {
        keep(stream, chunk);
        written += chunk.length;
      }
      run.flooded ||= stdout.bytes > stdout.max;
      if (run.flooded) end();
      view().setUint32(out >>> 0, written, true);
      return SUCCESS;
    },
    poll_oneoff(subscriptions, events, count, out) {
      if (count === 0 || count > SUBSCRIPTIONS_MAX) return EINVAL;
      const ready = pollOnce(view(), { at: subscriptions >>> 0, count, nanoseconds, isOpen });
      ready.forEach((event, index) => writeEvent(view(), (events >>> 0) + index * 32, event));
      view().setUint32(out >>> 0, ready.length, true);
      return SUCCESS;
    },
    proc_exit(code) {
      run.exitCode = code >>> 0;
      end();
    },
    sched_yield: () => SUCCESS,
  };
  const guarded =
    (call) =>
    (...parameters) => {
      if (run.ended) throw new Ended();
      try {
        return call(...parameters);
      } catch (error) {
        if (error instanceof RangeError) return EFAULT;
        throw error;
      }
    };
  /** There is no file, no directory, no socket and no signal, so what is about them fails. */
  const absent = (name) => () => (/^(fd|path|sock)_/.test(name) ? EBADF : ENOSYS);
  return {
    run,
    stdout,
    stderr,
    imports: Object.fromEntries(
      job.functions.map((name) => [name, guarded(Object.hasOwn(functions, name) ? functions[name] : absent(name))]),
    ),
  };
}

/** Returns the ready subscriptions; sleeps when they are all clocks. */
function pollOnce(memory, { at, count, nanoseconds, isOpen }) {
  const all = Array.from({ length: count }, (_, index) => {
    const entry = at + index * 48;
    const userdata = memory.getBigUint64(entry, true);
    const tag = memory.getUint8(entry + 8);
    if (tag !== 0) return { userdata, tag, errno: isOpen(memory.getUint32(entry + 16, true)) ? SUCCESS : EBADF };
    const clock = memory.getUint32(entry + 16, true);
    const timeout = memory.getBigUint64(entry + 24, true);
    const absolute = (memory.getUint16(entry + 40, true) & 1) === 1;
    const left = absolute ? timeout - nanoseconds(clock) : timeout;
    return { userdata, tag, errno: SUCCESS, left: left > 0n ? left : 0n };
  });
  const streams = all.filter(({ left }) => left === undefined);
  if (streams.length > 0) return streams;
  const shortest = all.map(({ left }) => left).reduce((least, left) => (left < least ? left : least));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(shortest / 1_000n) / 1_000);
  return all.filter(({ left }) => left <= shortest);
}

function writeEvent(memory, at, { userdata, errno, tag }) {
  for (let offset = 0; offset < 32; offset += 8) memory.setBigUint64(at + offset, 0n, true);
  memory.setBigUint64(at, userdata, true);
  memory.setUint16(at + 8, errno, true);
  memory.setUint8(at + 10, tag);
  memory.setBigUint64(at + 16, tag === 0 ? 0n : 1n, true);
}

/** Runs the module once. The answer is plain data; what the module did wrong is its `ending`. */
function runOnce(job) {
  let memory;
  const none = new WebAssembly.Memory({ initial: 0, maximum: 0 });
  const wasi = createWasi(job, () => memory ?? none);
  let ending = 'returned';
  let problem = '';
  let result;
  try {
    const { exports } = new WebAssembly.Instance(job.module, { wasi_snapshot_preview1: wasi.imports });
    memory = /** @type {WebAssembly.Memory | undefined} */ (exports.memory);
    if (job.entrypoint !== '_start' && typeof exports._initialize === 'function') exports._initialize();
    result = /** @type {CallableFunction} */ (exports[job.entrypoint])();
  } catch (error) {
    if (!wasi.run.ended) [ending, problem] = endingOf(error);
  }
  if (wasi.run.flooded) ending = 'flooded';
  const exitCode = wasi.run.exitCode ?? (typeof result === 'number' ? result >>> 0 : 0);
  return {
    ending,
    problem,
    exitCode,
    stdout: joined(wasi.stdout.chunks),
    stderr: joined(wasi.stderr.chunks),
    memoryBytes: memory?.buffer.byteLength ?? 0,
  };
}

/** @returns {[ending: string, problem: string]} */
function endingOf(error) {
  if (error instanceof WebAssembly.LinkError) return ['unlinkable', error.message];
  if (error instanceof RangeError) return ['exhausted', error.message];
  return ['trapped', error instanceof WebAssembly.RuntimeError ? error.message : 'uncaught exception'];
}

function joined(chunks) {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

port.on('message', (job) => port.postMessage(runOnce(job)));
