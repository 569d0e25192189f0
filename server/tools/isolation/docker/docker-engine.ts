// The isolation engine over Docker. Its containers are removed in every outcome: after each run, and by the sweeper where a process died first.
import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import type { Clock } from '../../../clock.ts';
import { requireNetwork, type ToolCeilings } from '../../ceilings.ts';
import type { IsolationEngine } from '../isolation.ts';
import { identityOf, isGone } from '../process-identity.ts';
import { answered, connectDocker, pingDocker, unreachable } from './client.ts';
import { containerOptions, networkOf, ownerLabels } from './container-options.ts';
import { peek, removeContainer, runContainer } from './container-run.ts';
import { Images } from './images.ts';
import { Launcher } from './launcher.ts';
import { OWNER_LABEL, Sweeper, type Labelled } from '../orphans.ts';

const CHECK_MAX_MS = 1_500;

export interface DockerEngineOptions {
  readonly clock: Clock;
  /** DOCKER_HOST; undefined: the default socket. */
  readonly dockerHost: string | undefined;
  /** Names the worker on its containers. */
  readonly owner: string;
  /** `--container-network`. */
  readonly defaultNetwork: string;
  readonly ceilings: ToolCeilings;
  /** Called for containers that could not be removed. */
  readonly reportError: (error: unknown) => void;
}

export function createDockerEngine({
  clock,
  dockerHost,
  owner,
  defaultNetwork,
  ceilings,
  reportError,
}: DockerEngineOptions): IsolationEngine {
  let connected: Promise<{ docker: Docker; images: Images }> | undefined;
  const connect = () =>
    (connected ??= connectDocker(dockerHost).then(
      (docker) => ({ docker, images: new Images(docker, { clock, policy: ceilings.images }) }),
      (error: unknown) => {
        connected = undefined;
        throw unreachable('container isolation is not available', error);
      },
    ));
  const ownership = { owner, process: identityOf(process.pid) };
  const launcher = new Launcher();

  const sweeper = new Sweeper({
    clock,
    isGone,
    reportError,
    async list(signal) {
      // Where no engine is, the client need not be loaded to find that out.
      await pingDocker(dockerHost, { clock, signal, what: 'the sweep', timeoutMs: CHECK_MAX_MS });
      const { docker } = await connect();
      const asked = docker.listContainers({ all: true, filters: { label: [OWNER_LABEL] } });
      const containers = await answered(asked, { clock, signal, what: 'the sweep' });
      return containers.map(({ Id: id, Labels: labels }): Labelled => ({ id, labels }));
    },
    async remove(id, signal) {
      const { docker } = await connect();
      await answered(removeContainer(docker.getContainer(id)), { clock, signal, what: 'the sweep' });
    },
  });

  return {
    name: 'docker',
    check: () => pingDocker(dockerHost, { clock, what: 'container isolation is not available', timeoutMs: CHECK_MAX_MS }),
    async prepare(request) {
      const { images } = await connect();
      await images.ensure(request);
    },
    async run(run) {
      const diskMaxBytes = ceilings.containerDiskMaxBytes;
      requireNetwork(networkOf(run, defaultNetwork), run.what, ceilings);
      const { docker, images } = await connect();
      const image = await images.ensure(run);
      const deps = { docker, clock, reportError };
      const launch = await launcher.find(run, image, (at) => {
        const labels = ownerLabels(ownership, run.deadline);
        const options = { Image: image.id, Entrypoint: ['/'], Labels: labels, HostConfig: { NetworkMode: 'none' } };
        return peek(deps, options, { at, signal: run.signal, what: run.what });
      });
      return runContainer(deps, run, {
        name: `svc-${randomUUID()}`,
        options: containerOptions(run, { image, launch, ...ownership, defaultNetwork, diskMaxBytes }),
        diskMaxBytes,
        sources: { mode: run.mode, image: run.image, digest: image.digest },
      });
    },
    start: () => sweeper.start(),
    stop: () => sweeper.stop(),
  };
}
