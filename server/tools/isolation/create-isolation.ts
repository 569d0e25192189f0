// Which isolation engines a process has, as the operator's flags say. Adding an engine is one line here.
import type { Clock } from '../../clock.ts';
import { CallError } from '../../engine/ports.ts';
import type { Logger } from '../../log/log.ts';
import type { ToolPortConfig } from '../runtime.ts';
import { createDockerEngine } from './docker/docker-engine.ts';
import { EngineFinder } from './docker/engine-finder.ts';
import type { EngineSurroundings } from './docker/engine-places.ts';
import type { ClusterEnvironment } from './kubernetes/cluster.ts';
import { createKubernetesEngine } from './kubernetes/kubernetes-engine.ts';
import type { ImageMode, Isolation, IsolationEngine } from './isolation.ts';

export interface IsolationOptions {
  readonly config: Pick<ToolPortConfig, 'isolationBackend' | 'containerNetwork' | 'kubernetes' | 'ceilings'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Names this worker on what its engines make. */
  readonly owner: string;
  /** Where engines are searched. */
  readonly around: EngineSurroundings;
  /** Environment of the cluster that this process runs in. */
  readonly cluster: ClusterEnvironment;
}

export function createIsolation(options: IsolationOptions): Isolation {
  const { config, clock, log, owner, around, cluster: environment } = options;
  const reportError = (error: unknown) => log.warn({ err: error }, 'the container of a tool could not be removed; it will be retried');
  const containers =
    config.isolationBackend === 'none'
      ? undefined
      : createDockerEngine({
          clock,
          finder: new EngineFinder(around),
          owner,
          defaultNetwork: config.containerNetwork,
          ceilings: config.ceilings,
          reportError,
        });
  const jobs =
    config.kubernetes &&
    createKubernetesEngine({
      clock,
      cluster: config.kubernetes,
      environment,
      diskMaxBytes: config.ceilings.containerDiskMaxBytes,
      owner,
      reportError,
    });
  const byMode: Readonly<Record<ImageMode, IsolationEngine | undefined>> = {
    container: containers,
    sandboxed: containers,
    kubernetes: jobs,
  };
  return {
    engines: [containers, jobs].filter((engine) => engine !== undefined),
    engineFor(mode, what) {
      const engine = byMode[mode];
      if (engine) return engine;
      throw notConfigured(mode, what);
    },
    programsIn(mode, what) {
      if (containers) return containers;
      throw notConfigured(mode, what);
    },
  };
}

/** No engine of the process runs the mode, whatever answers. */
export function notConfigured(mode: ImageMode, what: string): CallError {
  const advice =
    mode === 'kubernetes'
      ? 'its worker runs without --enable-kubernetes-isolation'
      : 'its worker has no container engine (--tool-isolation-backend none)';
  const message = `${what} is to run ${mode}, and ${advice}`;
  return new CallError('isolation_unavailable', message, { retryable: false, reason: 'not_configured' });
}
