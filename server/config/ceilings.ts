// Flags of an operator's ceilings on what tools use, and their values. Writers of Tools choose below them.
import { ANY_NAMED_IMAGE, imageRefusal, type ImagePolicy } from '@svc/shared/images/image-policy';
import type { ToolCeilings } from '../tools/ceilings.ts';
import type { FlagTable } from './flag-table.ts';
import { parseBytes, parseContainerMemory, parseCpus, parseDiskMax, parseImagePatterns, parseNetworks } from './flag-values.ts';

const MIB = 1024 * 1024;

export interface CeilingOptions {
  readonly allowedContainerNetworks: readonly string[];
  readonly allowedImages: readonly string[];
  readonly containerDiskMax: number;
  readonly containerMemoryMax: number;
  readonly containerCpusMax: number;
  readonly requireImageDigests: boolean;
  readonly wasmMemoryMax: number;
  readonly wasmMemoryTotal: number;
}

export function ceilingFlags(flags: FlagTable): void {
  flags.typed('allowed-container-networks', {
    value: 'names',
    parse: parseNetworks,
    help: 'comma-separated networks that a tool may name, in addition to none and --container-network',
    fallback: [],
    shown: 'none',
  });
  flags.typed('allowed-images', {
    value: 'patterns',
    parse: parseImagePatterns,
    help: 'comma-separated images that tools may run in: registry.example/team/*, one repository, or * for every registry with a domain name; a registry by address, on loopback or of a single label has to be listed',
    fallback: [ANY_NAMED_IMAGE],
    shown: ANY_NAMED_IMAGE,
  });
  flags.typed('container-disk-max', {
    value: 'bytes',
    parse: parseDiskMax,
    help: 'maximum bytes of files that one call in a container may write, in memory, on a read-only root; 0: a writable root on the disk of the engine, without limit',
    fallback: 1024 * MIB,
    shown: '1GiB',
  });
  flags.typed('container-memory-max', {
    value: 'bytes',
    parse: parseContainerMemory,
    help: 'memory of one container of a tool or of an MCP server; a sandbox has at most 128MiB of it',
    fallback: 1024 * MIB,
    shown: '1GiB',
  });
  flags.typed('container-cpus-max', {
    value: 'cores',
    parse: parseCpus,
    help: 'processors of one container, such as 0.5 or 2, and no more than the engine has; a sandbox has at most 0.5',
    fallback: 1,
    shown: '1',
  });
  flags.bool('require-image-digests', 'run only images that are named with a digest');
  flags.typed('wasm-memory-max', {
    value: 'bytes',
    parse: parseBytes,
    help: 'most memory that one call of a WebAssembly module may have, such as 256MiB',
    fallback: 256 * MIB,
    shown: '256MiB',
  });
  flags.typed('wasm-memory-total', {
    value: 'bytes',
    parse: parseBytes,
    help: 'most memory that such calls of this process may have together; more of them wait their turn',
    fallback: 1024 * MIB,
    shown: '1GiB',
  });
}

/** `shown` is the text of the default: a server goes by its own address, a worker by the address of its database. */
export function modelFlags(flags: FlagTable, shown: string): void {
  flags.bool(
    'allow-private-model-endpoints',
    'let ModelEndpoints with allowPrivate be at loopback and private addresses; without it none may, local-runtime included',
    { value: undefined, shown },
  );
}

export function toolCeilings(options: CeilingOptions & { readonly containerNetwork: string }): ToolCeilings {
  return {
    images: imagePolicy(options),
    networks: [...new Set(['none', options.containerNetwork, ...options.allowedContainerNetworks])],
    containerDiskMaxBytes: options.containerDiskMax,
    containerMemoryMaxBytes: options.containerMemoryMax,
    containerCpusMax: options.containerCpusMax,
    wasmMemoryMaxBytes: options.wasmMemoryMax,
    wasmMemoryTotalBytes: options.wasmMemoryTotal,
  };
}

const imagePolicy = ({ allowedImages, requireImageDigests }: CeilingOptions): ImagePolicy => ({
  patterns: allowedImages,
  digestsRequired: requireImageDigests,
});

/** Ceilings that contradict each other or the operator's own image, as one line that names the flag. */
export function ceilingProblem(options: CeilingOptions & { readonly toolContainerImage: string | undefined }): string | undefined {
  if (options.wasmMemoryTotal < options.wasmMemoryMax)
    return "option '--wasm-memory-total' must be at least '--wasm-memory-max', or a call of that size could never run";
  const image = options.toolContainerImage;
  const refusal = image === undefined ? undefined : imageRefusal(image, imagePolicy(options));
  return refusal && `option '--tool-container-image' ${refusal.problem}`;
}
