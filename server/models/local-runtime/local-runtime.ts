// Provider `local-runtime`: runners on the own machine speak a native chat API, chat completions, or both. Asks for the native one first.
import { CallError, type ModelResponse } from '../../engine/ports.ts';
import type { ModelCall, ModelProvider } from '../provider.ts';

export interface LocalWires {
  readonly native: ModelProvider;
  readonly compatible: ModelProvider;
}

/** Base URLs remembered as speaking chat completions only; above it they are probed again. */
const REMEMBERED_MAX = 1_000;
const NOT_SERVED: ReadonlySet<string | undefined> = new Set(['http_404', 'http_405']);

export function createLocalRuntimeProvider({ native, compatible }: LocalWires): ModelProvider {
  const compatibleOnly = new Set<string>();
  return {
    name: native.name,
    ...(compatible.embed && { embed: compatible.embed }),
    async complete(call) {
      const base = call.endpoint.spec.base_url ?? '';
      if (namesCompatibleApi(base)) return compatible.complete(call);
      if (compatibleOnly.has(base)) return forgetUnserved(compatible.complete(call), () => void compatibleOnly.delete(base));
      try {
        return await native.complete(call);
      } catch (error) {
        if (!isNotServed(error)) throw error;
        const response = await tryCompatible(compatible, call, error);
        if (compatibleOnly.size < REMEMBERED_MAX) compatibleOnly.add(base);
        return response;
      }
    },
  };
}

/** A runner that serves neither path, or not this model, is best explained by its first answer. */
async function tryCompatible(compatible: ModelProvider, call: ModelCall, first: CallError): Promise<ModelResponse> {
  try {
    return await compatible.complete(call);
  } catch (error) {
    throw isNotServed(error) ? first : error;
  }
}

/** Another runner may have taken the address: what was remembered of it is forgotten. */
async function forgetUnserved(answer: Promise<ModelResponse>, forget: () => void): Promise<ModelResponse> {
  try {
    return await answer;
  } catch (error) {
    if (isNotServed(error)) forget();
    throw error;
  }
}

function isNotServed(error: unknown): error is CallError {
  return error instanceof CallError && NOT_SERVED.has(error.reason);
}

/** By convention chat completions live under `/v1`, where no native API is. */
function namesCompatibleApi(base: string): boolean {
  return /\/v1\/*$/.test(base);
}
