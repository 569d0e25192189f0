// The tools of a worker's process: the port that calls them, what it stands on, and the engines that isolate them.
import type { Egress } from '../egress/egress.ts';
import type { ToolPort } from '../engine/ports.ts';
import { createToolPort } from '../tools/create-tool-port.ts';
import { createIsolation } from '../tools/isolation/create-isolation.ts';
import type { Isolation } from '../tools/isolation/isolation.ts';
import type { Foundation } from './foundation.ts';

export interface ProcessTools {
  readonly port: ToolPort;
  readonly isolation: Isolation;
  /** Begins to clear up after processes that died. */
  start(): void;
  /** Once no call is under way. Idempotent. */
  close(): Promise<void>;
}

export interface ProcessToolsOptions {
  readonly egress: Egress;
  readonly random: () => number;
  readonly callbackUrl: () => string | undefined;
}

export function createProcessTools(foundation: Foundation, options: ProcessToolsOptions): ProcessTools {
  const { config, log, clock, store, secrets, decisions, id } = foundation;
  const { DOCKER_HOST: dockerHost, PATH: searchPath = '' } = config.env;
  const isolation = createIsolation({ config: config.tools, clock, log, owner: id, dockerHost });
  const port = createToolPort({ ...options, secrets, clock, log, store, decisions, config: config.tools, isolation, searchPath });
  return {
    port,
    isolation,
    start() {
      for (const engine of isolation.engines) engine.start();
    },
    async close() {
      await Promise.all([port.close(), ...isolation.engines.map((engine) => engine.stop())]);
    },
  };
}
