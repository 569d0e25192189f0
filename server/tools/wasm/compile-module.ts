// The one place that names the engine's WebAssembly API: TypeScript's own declarations of it belong to browsers.
import { ModuleError } from './module-binary.ts';

/** Compiled code; threads share it. */
export interface CompiledModule {
  readonly [Symbol.toStringTag]: string;
}

interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<CompiledModule>;
  readonly CompileError: new () => Error;
}

const { WebAssembly: api } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi };

/** Validates and compiles, off the main thread. Throws ModuleError. */
export async function compileModule(bytes: Uint8Array): Promise<CompiledModule> {
  try {
    return await api.compile(bytes);
  } catch (error) {
    if (error instanceof api.CompileError) throw new ModuleError(`does not compile: ${error.message.slice(0, 200)}`);
    throw error;
  }
}
