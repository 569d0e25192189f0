// Compiled modules by content and memory limit: read from a file or fetched through egress, checked against their hash and the policy of modules.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { withDeadline } from '../../egress/deadline.ts';
import type { Egress } from '../../egress/egress.ts';
import { isSuccess, statusVerdict } from '../../egress/http-status.ts';
import { CallError, type ToolRef } from '../../engine/ports.ts';
import { toolTitle } from '../runtime.ts';
import { compileModule, type CompiledModule } from './compile-module.ts';
import { limitModule, ModuleError, PAGE_BYTES, readModule, type ModuleFacts } from './module-binary.ts';
import { policyError, type WasmSettings } from './wasm-settings.ts';
import { WASI_FUNCTIONS, WASI_MODULE } from './wasi-functions.ts';

const MODULE_MAX_BYTES = 32 * 1024 * 1024;
const MODULES_MAX = 32;
/** A fetch is shared by the calls that wait for it, so it has a limit of its own. */
const FETCH_TIMEOUT_MS = 60_000;

export interface LoadedModule {
  readonly module: CompiledModule;
  readonly sha256: string;
  readonly memoryMaxBytes: number;
}

export interface ModuleStore {
  /** Rejects with CallError: `runtime_policy_invalid` for a module that may not run, egress errors for one that cannot be had. */
  load(tool: ToolRef, settings: WasmSettings): Promise<LoadedModule>;
}

export interface ModuleStoreDeps {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly allowPrivate: boolean;
  readonly permittedBy: string;
}

export function createModuleStore(deps: ModuleStoreDeps): ModuleStore {
  const compiled = new LRUCache<string, LoadedModule>({ max: MODULES_MAX });
  const pending = new Map<string, Promise<LoadedModule>>();
  const once = (key: string, make: () => Promise<LoadedModule>): Promise<LoadedModule> => {
    const known = compiled.get(key);
    if (known) return Promise.resolve(known);
    const running = pending.get(key);
    if (running) return running;
    const making = make()
      .then((loaded) => {
        compiled.set(key, loaded);
        return loaded;
      })
      .finally(() => pending.delete(key));
    pending.set(key, making);
    return making;
  };
  return {
    async load(tool, settings) {
      const { source, memoryMaxBytes, entrypoint } = settings;
      const keyOf = (identity: string) => JSON.stringify([identity, memoryMaxBytes, entrypoint]);
      const context = { tool, settings };
      if (source.kind === 'https') return once(keyOf(source.sha256), async () => prepare(await fetched(deps, tool, source.url), context));
      const file = await fileIdentity(tool, source.url);
      return once(keyOf(file.identity), async () => prepare(await fileBytes(tool, source.url), context));
    },
  };
}

interface Context {
  readonly tool: ToolRef;
  readonly settings: WasmSettings;
}

async function prepare(bytes: Uint8Array, { tool, settings }: Context): Promise<LoadedModule> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const expected = settings.source.sha256;
  if (expected !== undefined && expected !== sha256) {
    throw policyError(tool, `has a module with the SHA-256 ${sha256}, and its endpoint names another`, 'module_hash_mismatch');
  }
  try {
    checkPolicy(readModule(bytes), { tool, settings });
    const limited = limitModule(bytes, Math.floor(settings.memoryMaxBytes / PAGE_BYTES));
    return { module: await compileModule(limited), sha256, memoryMaxBytes: settings.memoryMaxBytes };
  } catch (error) {
    if (error instanceof ModuleError) throw policyError(tool, `has a module that ${error.message}`, 'invalid_module');
    throw error;
  }
}

function checkPolicy({ imports, exports, functions, memory }: ModuleFacts, { tool, settings }: Context): void {
  const foreign = imports.find(({ module, name, kind }) => module !== WASI_MODULE || kind !== 'function' || !WASI_FUNCTIONS.has(name));
  if (foreign) {
    const named = `${foreign.module}.${foreign.name}`.slice(0, 100);
    throw policyError(
      tool,
      `has a module that imports the ${foreign.kind} ${named}; only functions of ${WASI_MODULE} are there`,
      'import_refused',
    );
  }
  const { entrypoint, memoryMaxBytes } = settings;
  const shape = functions.get(entrypoint);
  if (!shape) throw policyError(tool, `has a module that exports no function "${entrypoint}" (spec.wasm.entrypoint)`, 'entrypoint_missing');
  if (shape.parameters !== 0 || shape.result === 'other') {
    throw policyError(tool, `has an entrypoint "${entrypoint}" that takes parameters or returns more than an i32`, 'entrypoint_missing');
  }
  if (!memory || exports.get('memory') !== 'memory')
    throw policyError(tool, 'has a module that exports no memory "memory"', 'invalid_module');
  const declared = Math.max(memory.minimum, memory.maximum ?? 0) * PAGE_BYTES;
  if (declared > memoryMaxBytes) {
    throw policyError(
      tool,
      `has a module that declares ${declared} bytes of memory, and spec.wasm.memory_max_bytes permits ${memoryMaxBytes}`,
      'memory_limit',
    );
  }
}

// ---------------------------------------------------------------- sources

async function fetched({ egress, clock, allowPrivate, permittedBy }: ModuleStoreDeps, tool: ToolRef, url: string): Promise<Uint8Array> {
  const title = toolTitle(tool);
  const what = `fetch of the module of ${title}`;
  return withDeadline({ clock, timeoutMs: FETCH_TIMEOUT_MS, signal: new AbortController().signal, what }, async (signal) => {
    const headers = { accept: 'application/wasm, application/octet-stream' };
    const response = await egress.send({ method: 'GET', url, headers, signal, allowPrivate, permittedBy });
    if (!isSuccess(response.status)) {
      response.discard();
      const { retryable } = statusVerdict(response.status);
      throw new CallError('execution_failed', `${what} was answered ${response.status}`, {
        retryable,
        reason: `module_http_${response.status}`,
      });
    }
    const chunks: Uint8Array[] = [];
    let total = 0;
    for await (const chunk of response.body) {
      total += chunk.length;
      if (total > MODULE_MAX_BYTES) throw tooLarge(tool);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  });
}

/** Changes with the file, so that a new module is taken up by the next call. */
async function fileIdentity(tool: ToolRef, url: string): Promise<{ identity: string }> {
  return reading(tool, url, async (file) => {
    const stat = await file.stat();
    if (!stat.isFile()) throw policyError(tool, 'has an endpoint that is not a regular file', 'module_unreadable');
    if (stat.size > MODULE_MAX_BYTES) throw tooLarge(tool);
    return { identity: [url, stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ') };
  });
}

function fileBytes(tool: ToolRef, url: string): Promise<Uint8Array> {
  return reading(tool, url, async (file) => {
    const bytes = await file.readFile();
    if (bytes.length > MODULE_MAX_BYTES) throw tooLarge(tool);
    return bytes;
  });
}

async function reading<T>(...[tool, url, read]: [ToolRef, string, (file: Awaited<ReturnType<typeof open>>) => Promise<T>]): Promise<T> {
  try {
    await using file = await openFile(url);
    return await read(file.handle);
  } catch (error) {
    if (error instanceof CallError) throw error;
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unreadable';
    throw policyError(tool, `has an endpoint whose file cannot be read (${code})`, 'module_unreadable');
  }
}

async function openFile(url: string) {
  const handle = await open(fileURLToPath(url), 'r');
  return { handle, [Symbol.asyncDispose]: () => handle.close() };
}

function tooLarge(tool: ToolRef): CallError {
  return policyError(tool, `has a module of more than ${MODULE_MAX_BYTES} bytes`, 'module_too_large');
}
