// Dependencies of a ToolPort, for tests: the real clock, no Secrets, no decisions, no store, loopback permitted.
import { ServiceError } from '@svc/shared/errors';
import { systemClock } from '../clock.ts';
import { createEgress } from '../egress/create-egress.ts';
import { CallError, type ToolInvocation } from '../engine/ports.ts';
import type { ToolCeilings } from '../tools/ceilings.ts';
import type { ToolPortOptions } from '../tools/create-tool-port.ts';
import { ownSurroundings } from '../tools/isolation/docker/engine-places.ts';
import { createIsolation } from '../tools/isolation/create-isolation.ts';
import { createInputChecks } from '../tools/input-check.ts';
import type { RuntimeDeps, ToolPortConfig } from '../tools/runtime.ts';
import { createLogger } from '../log/log.ts';
import { toolSpec } from './specs.ts';

const MIB = 1024 * 1024;

const noSecret = () => Promise.reject(new ServiceError('not_found', 'no such Secret'));
const noStore = () => Promise.reject(new ServiceError('unavailable', 'this test has no store'));

const noCluster = { host: undefined, port: undefined };

/** Those of the server's defaults unless a test is about them. */
export function toolCeilings(ceilings: Partial<ToolCeilings> = {}): ToolCeilings {
  return {
    images: { patterns: ['*'], digestsRequired: false },
    networks: ['none'],
    containerDiskMaxBytes: 1024 * MIB,
    containerMemoryMaxBytes: 1024 * MIB,
    containerCpusMax: 1,
    wasmMemoryMaxBytes: 256 * MIB,
    wasmMemoryTotalBytes: 1024 * MIB,
    ...ceilings,
  };
}

/** The server's defaults, but for private endpoints. */
export function toolConfig(config: Partial<ToolPortConfig> = {}): ToolPortConfig {
  return {
    ceilings: toolCeilings(),
    allowPrivateEndpoints: true,
    allowPrivateAgents: true,
    isolationBackend: 'none',
    containerNetwork: 'none',
    containerImage: undefined,
    unisolatedCli: 'admin',
    cliArgvMaxBytes: 4096,
    kubernetes: undefined,
    ...config,
  };
}

/** For a ToolPort or for one runtime; give what the test is about in its place. The egress is the caller's to close. */
export function toolDeps(config: Partial<ToolPortConfig> = {}): ToolPortOptions & RuntimeDeps {
  const log = createLogger({ level: 'silent', format: 'json' });
  return {
    egress: createEgress(),
    secrets: { resolveValue: noSecret, resolveEntries: noSecret },
    clock: systemClock,
    random: () => 0,
    log,
    store: { transaction: noStore, getDocument: noStore },
    config: toolConfig(config),
    isolation: createIsolation({
      config: toolConfig(config),
      clock: systemClock,
      log,
      owner: 'test',
      around: ownSurroundings({}),
      cluster: noCluster,
    }),
    searchPath: process.env['PATH'] ?? '',
    callbackUrl: () => undefined,
    permittedBy: 'the server option --allow-private-tool-endpoints',
    inputs: createInputChecks(),
    mcp: { call: () => Promise.reject(new CallError('unsupported_tool', 'this test has no MCP servers', { retryable: false })) },
    agents: { call: () => Promise.reject(new CallError('unsupported_tool', 'this test has no agents', { retryable: false })) },
    memories: { read: noStore, write: noStore, search: noStore, list: noStore, ingest: noStore },
    canRun: () => Promise.resolve(undefined),
    decisions: { callHashOf: () => Promise.resolve(undefined) },
  };
}

/** A call of the Tool `team/search`, whose spec is stored normalised. */
export function toolCall(spec: Record<string, unknown>, more: Partial<ToolInvocation> = {}): ToolInvocation {
  const tool = { namespace: 'team', name: 'search', spec: toolSpec(spec) };
  return { tool, requestId: 'req-1', taskId: 'team/t', stream: 'uid-1', namespace: 'team', agent: 'a', input: { q: 'tides' }, ...more };
}

/** The CallError of a failed call; throws when the call succeeds. */
export async function callFailure(promise: Promise<unknown>): Promise<CallError> {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof CallError)) throw error;
  return error;
}
