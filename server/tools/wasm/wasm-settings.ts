// Settings of a Tool of type wasm, read into checked values. Pure.
import { CallError, type ToolRef } from '../../engine/ports.ts';
import { requireWasmMemory, type ToolCeilings } from '../ceilings.ts';
import { toolTitle } from '../runtime.ts';
import { endpointOf } from '../tool-settings.ts';
import { PAGE_BYTES } from './module-binary.ts';

const MEMORY_DEFAULT_BYTES = 64 * 1024 * 1024;
/** Largest size of a 32-bit memory. */
const MEMORY_CEILING_BYTES = 65_536 * PAGE_BYTES;
const PRINTABLE = /^[\x21-\x7e]+$/;
const HASH = /^#sha256=([0-9a-f]{64})$/i;

type ModuleSource =
  | { readonly kind: 'https'; readonly url: string; readonly sha256: string }
  /** `sha256` where the endpoint names one. */
  | { readonly kind: 'file'; readonly url: string; readonly sha256?: string };

export interface WasmSettings {
  readonly source: ModuleSource;
  readonly entrypoint: string;
  readonly memoryMaxBytes: number;
}

/** Throws CallError `runtime_policy_invalid`. */
export function wasmSettings(tool: ToolRef, ceilings: Pick<ToolCeilings, 'wasmMemoryMaxBytes'>): WasmSettings {
  const { entrypoint, memory_max_bytes: memory = 0 } = tool.spec.wasm ?? {};
  const wanted = memory > 0 ? memory : undefined;
  if (wanted !== undefined) requireWasmMemory(wanted, toolTitle(tool), ceilings);
  return {
    source: sourceOf(tool),
    entrypoint: entrypoint || '_start',
    memoryMaxBytes: Math.min(wanted ?? MEMORY_DEFAULT_BYTES, ceilings.wasmMemoryMaxBytes, MEMORY_CEILING_BYTES),
  };
}

function sourceOf(tool: ToolRef): ModuleSource {
  const endpoint = endpointOf(tool);
  // The URL parser skips leading white space and control characters, and the right to write a Tool depends on the first letters.
  if (!PRINTABLE.test(endpoint) || !URL.canParse(endpoint))
    throw policyError(tool, 'has an endpoint that is not a URL; use https://…#sha256=<hex> or file:', 'invalid_endpoint');
  const url = new URL(endpoint);
  const { protocol, hash } = url;
  const sha256 = HASH.exec(hash)?.[1]?.toLowerCase();
  url.hash = '';
  if (hash !== '' && sha256 === undefined) {
    throw policyError(tool, 'has an endpoint whose fragment is not #sha256=<64 hex digits>', 'invalid_endpoint');
  }
  if (protocol === 'file:') return { kind: 'file', url: url.href, ...(sha256 !== undefined && { sha256 }) };
  if (protocol !== 'https:')
    throw policyError(tool, `has an endpoint with scheme ${protocol.replace(':', '')}; use https or file`, 'invalid_endpoint');
  if (sha256 === undefined) {
    throw policyError(tool, 'has an https endpoint that names no hash; append #sha256=<hex> of the module', 'invalid_endpoint');
  }
  return { kind: 'https', url: url.href, sha256 };
}

/** Permanent failure: only an edit of the Tool or of its module helps. */
export function policyError(tool: ToolRef, problem: string, reason: string): CallError {
  return new CallError('runtime_policy_invalid', `${toolTitle(tool)} ${problem}`, { retryable: false, reason });
}
