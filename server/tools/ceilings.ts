// Upper limits that the operator sets for every tool of a process, and the refusals of what lies above them. Pure.
import { imageRefusal, type ImagePolicy } from '@svc/shared/images/image-policy';
import { CallError } from '../engine/ports.ts';

export interface ToolCeilings {
  /** `--allowed-images` and `--require-image-digests`. */
  readonly images: ImagePolicy;
  /** Container networks that a tool may name: `none`, that of `--container-network` and those of `--allowed-container-networks`. */
  readonly networks: readonly string[];
  /** `--container-disk-max`: files that one call in a container may write; 0: no limit. */
  readonly containerDiskMaxBytes: number;
  /** `--container-memory-max`: memory of one container. */
  readonly containerMemoryMaxBytes: number;
  /** `--container-cpus-max`: processors of one container. */
  readonly containerCpusMax: number;
  /** `--wasm-memory-max`: linear memory of one call of a WebAssembly module. */
  readonly wasmMemoryMaxBytes: number;
  /** `--wasm-memory-total`: linear memory of all such calls of the process together. */
  readonly wasmMemoryTotalBytes: number;
}

/** Throws CallError `runtime_policy_invalid`; `what` names the tool. */
export function requireImage(image: string, what: string, { images }: Pick<ToolCeilings, 'images'>): void {
  const refusal = imageRefusal(image, images);
  if (refusal) throw aboveCeiling(`${what} ${refusal.problem}`, refusal.reason);
}

/** Throws CallError `runtime_policy_invalid`; `what` names the tool. */
export function requireNetwork(network: string, what: string, { networks }: Pick<ToolCeilings, 'networks'>): void {
  if (networks.includes(network)) return;
  const message = `${what} requests the network "${network.slice(0, 80)}", and --allowed-container-networks does not list it`;
  throw aboveCeiling(message, 'network_not_allowed');
}

/** Throws CallError `runtime_policy_invalid`; `what` names the tool. */
export function requireWasmMemory(bytes: number, what: string, { wasmMemoryMaxBytes }: Pick<ToolCeilings, 'wasmMemoryMaxBytes'>): void {
  if (bytes <= wasmMemoryMaxBytes) return;
  const message = `${what} has spec.wasm.memory_max_bytes ${bytes}, and --wasm-memory-max permits ${wasmMemoryMaxBytes}`;
  throw aboveCeiling(message, 'wasm_memory_ceiling');
}

function aboveCeiling(message: string, reason: string): CallError {
  return new CallError('runtime_policy_invalid', message, { retryable: false, reason });
}
