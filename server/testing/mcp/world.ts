// Sync and calls of McpServers over a real store: apply a server, settle, and call what it generated.
import { fileURLToPath } from 'node:url';
import { specOf } from '@svc/shared/kinds/read';
import { systemClock, type Clock } from '../../clock.ts';
import { createEgress } from '../../egress/create-egress.ts';
import type { ToolOutcome } from '../../engine/ports.ts';
import { McpConnections } from '../../mcp/connections.ts';
import { createMcpSync } from '../../mcp/sync/controller.ts';
import { createMcpServerHooks } from '../../mcp/sync/server-hooks.ts';
import type { Registry } from '../../registry/registry.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import { createSecretResolver } from '../../secrets/resolver.ts';
import type { Store } from '../../store/store.ts';
import { createToolPort } from '../../tools/create-tool-port.ts';
import { keptLog, takeLease, type LogLine } from '../background.ts';
import type { ToolCeilings } from '../../tools/ceilings.ts';
import type { Isolation } from '../../tools/isolation/isolation.ts';
import { as, registryOver } from '../registry-fixture.ts';
import { toolCeilings, toolDeps } from '../tool-deps.ts';

export interface McpWorld {
  readonly store: Store;
  readonly registry: Registry;
  readonly apply: (body: { readonly kind: string; readonly name: string; readonly spec: object }) => Promise<unknown>;
  readonly remove: (kind: string, name: string) => Promise<unknown>;
  /** Reconciles everything that has changed. */
  readonly settle: () => Promise<void>;
  readonly status: (server: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly toolNames: () => Promise<string[]>;
  readonly call: (tool: string, input?: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolOutcome>;
  /** Controller that runs by itself, for what happens without a write. */
  readonly start: () => void;
  /** Log of connections and sync since the last `settle`. */
  readonly log: readonly LogLine[];
  readonly close: () => Promise<void>;
}

/** Spec of a stdio McpServer that runs one of the programs beside this file. */
export function program(name: string, ...args: string[]): { transport: string; command: string; args: string[] } {
  return { transport: 'stdio', command: process.execPath, args: [fileURLToPath(new URL(`./${name}.mjs`, import.meta.url)), ...args] };
}

interface WorldOptions {
  readonly allowPrivate?: boolean;
  readonly stdio?: boolean;
  /** Default: no engine of containers. */
  readonly isolation?: Pick<Isolation, 'programsIn'>;
  readonly ceilings?: ToolCeilings;
  /** Used by the sync and by connections. */
  readonly clock?: Clock;
}

export async function openMcpWorld(
  store: Store,
  {
    allowPrivate = true,
    stdio = true,
    isolation = toolDeps().isolation,
    ceilings = toolCeilings(),
    clock = systemClock,
  }: WorldOptions = {},
): Promise<McpWorld> {
  const secretBox = createSecretBox();
  const hooks = [['McpServer', createMcpServerHooks(() => registry)]] as const;
  const registry: Registry = registryOver(store, systemClock, { secretBox, hooks });
  const egress = createEgress();
  const secrets = createSecretResolver({ store, box: secretBox, envPrefix: 'SVC_SECRET_', env: { SVC_SECRET_token: 'top-secret' } });
  const common = { store, clock, secrets };
  const searchPath = process.env['PATH'] ?? '';
  const permittedBy = 'the server option --allow-private-tool-endpoints';
  const { log, lines } = keptLog();
  const connections = new McpConnections({
    ...common,
    log,
    egress,
    allowPrivate,
    permittedBy,
    searchPath,
    version: '0',
    stdio,
    isolation,
    ceilings,
  });
  const port = createToolPort({ ...toolDeps(), ...common, mcp: connections });
  const claim = await takeLease(store, systemClock.now());
  const syncs = (['http', 'stdio'] as const)
    .filter((transport) => stdio || transport === 'http')
    .map((transport) => createMcpSync({ store, registry, clock, log, random: () => 0, claim, transport, connections, coalesceMs: 0 }));
  const read = (kind: string, name: string) => store.getObject({ kind, namespace: 'default', name });
  return {
    store,
    registry,
    apply: ({ kind, name, spec }) => registry.post(as('admin'), { kind, namespace: 'default', body: { kind, metadata: { name }, spec } }),
    remove: (kind, name) => registry.remove(as('admin'), { kind, namespace: 'default', name }),
    async settle() {
      await Promise.all(syncs.map((sync) => sync.runOnce()));
      const failures = lines.splice(0).filter(({ level }) => level === 'error');
      if (failures.length > 0)
        throw new Error(failures.map(({ message, fields }) => `${message}: ${String(fields['err'])}`).join('; '), {
          cause: failures[0]?.fields['err'],
        });
    },
    status: async (server) => (await read('McpServer', server))?.status ?? {},
    toolNames: async () => (await store.listObjects({ kind: 'Tool', limit: 1_000 })).map(({ name }) => name).sort(),
    async call(name, input = {}, signal = new AbortController().signal) {
      const tool = await read('Tool', name);
      if (!tool) throw new Error(`no Tool ${name}`);
      const invocation = {
        ...{ requestId: 'req-1', taskId: 'default/t', stream: 'uid-1', namespace: 'default', agent: 'a', input: input as never },
        tool: { namespace: 'default', name, spec: specOf('Tool', tool) },
      };
      return port.invoke(invocation, { signal });
    },
    start: () => syncs.forEach((sync) => sync.start()),
    log: lines,
    async close() {
      await Promise.all(syncs.map((sync) => sync.stop()));
      await connections.close();
      await port.close();
      await egress.close();
      await store.close();
    },
  };
}
