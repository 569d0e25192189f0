// The isolation engine over Docker. Its containers are removed in every outcome: after each run, and by the sweeper where a process died first.
import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import type { Clock } from '../../../clock.ts';
import { requireNetwork, type ToolCeilings } from '../../ceilings.ts';
import type { ContainerLimits, ImageRequest, IsolatedRun, IsolationEngine, ProgramEngine } from '../isolation.ts';
import { identityOf, isGone } from '../process-identity.ts';
import { answered, connectDocker, isPodman, unreachable } from './client.ts';
import { containerOptions, networkOf, ownerLabels, programOptions, requestOfRun } from './container-options.ts';
import { PROGRAM_MAX_MS, startProgram } from './container-program.ts';
import { peek, removeContainer, runContainer } from './container-run.ts';
import type { EngineFinder } from './engine-finder.ts';
import type { EnginePlace } from './engine-places.ts';
import { Images, type PresentImage } from './images.ts';
import { Launcher } from './launcher.ts';
import { OWNER_LABEL, Sweeper, type LabelledContainer } from '../orphans.ts';

export interface DockerEngineOptions {
  readonly clock: Clock;
  readonly finder: EngineFinder;
  /** Names the worker on its containers. */
  readonly owner: string;
  /** `--container-network`. */
  readonly defaultNetwork: string;
  readonly ceilings: ToolCeilings;
  /** Called for containers that could not be removed. */
  readonly reportError: (error: unknown) => void;
}

interface ConnectedEngine {
  readonly docker: Docker;
  readonly images: Images;
  readonly podman: boolean;
}

type Ground = ImageRequest & Pick<IsolatedRun, 'command' | 'env' | 'envBase'>;

export function createDockerEngine({
  clock,
  finder,
  owner,
  defaultNetwork,
  ceilings,
  reportError,
}: DockerEngineOptions): IsolationEngine & ProgramEngine {
  const connect = createConnect({ clock, finder, ceilings });
  const ownership = { owner, process: identityOf(process.pid) };
  const launcher = new Launcher();
  const limits = limitsOf(ceilings);

  const sweeper = createSweeper({ clock, finder, reportError }, async () => (await connect()).docker);
  /** Dependencies of a container: the client, its image, and the place of its command in the image. */
  const ground = async (request: Ground, deadline: number) => {
    const { docker, images, podman } = await connect(request.what);
    const image = await images.ensure(request);
    const deps = { docker, clock, reportError };
    const launch = await launcher.find(request, image, (at) => {
      const labels = ownerLabels(ownership, deadline);
      const options = { Image: image.id, Entrypoint: ['/'], Labels: labels, HostConfig: { NetworkMode: 'none' } };
      return peek(deps, options, { at, signal: request.signal, what: request.what });
    });
    return { deps, image, launch, podman };
  };
  const planOf = ({ mode, image }: Ground, { digest }: PresentImage) => ({
    name: `svc-${randomUUID()}`,
    limits,
    sources: { mode, image, digest },
  });

  return {
    name: 'docker',
    async check() {
      return finder.describe(await finder.check({ clock }), { clock });
    },
    async prepare(request) {
      const { images } = await connect(request.what);
      await images.ensure(request);
    },
    async run(run) {
      const request = requestOfRun(run);
      requireNetwork(networkOf(request, defaultNetwork), run.what, ceilings);
      const { deps, ...made } = await ground(run, run.deadline);
      return runContainer(deps, run, {
        ...planOf(run, made.image),
        options: containerOptions(request, { ...made, ...ownership, defaultNetwork, limits }),
      });
    },
    async startProgram(program, events) {
      // A process that holds programs need not be a worker: it removes what others have left behind too.
      sweeper.start();
      requireNetwork(networkOf(program, defaultNetwork), program.what, ceilings);
      const deadline = clock.now() + PROGRAM_MAX_MS;
      const { deps, ...made } = await ground(program, deadline);
      const options = programOptions(program, deadline, { ...made, ...ownership, defaultNetwork, limits });
      return startProgram(deps, program, { ...planOf(program, made.image), options, events });
    },
    start: () => sweeper.start(),
    stop: () => sweeper.stop(),
  };
}

/** Files are in memory: a limit above that of the memory would end in a kill. */
function limitsOf({ containerDiskMaxBytes, containerMemoryMaxBytes: memoryBytes, containerCpusMax }: ToolCeilings): ContainerLimits {
  return { diskBytes: Math.min(containerDiskMaxBytes, memoryBytes), memoryBytes, cpuCores: containerCpusMax };
}

/** Client of the engine in use; changes with the engine. */
function createConnect({ clock, finder, ceilings }: Pick<DockerEngineOptions, 'clock' | 'finder' | 'ceilings'>) {
  let connected: { readonly place: EnginePlace; readonly client: Promise<ConnectedEngine> } | undefined;
  return async (what?: string): Promise<ConnectedEngine> => {
    const place = await finder.place({ clock, what });
    if (connected?.place !== place) {
      const client = connectDocker(place).then(async (docker) => {
        const podman = isPodman(await answered(docker.version(), { clock, what }));
        return { docker, podman, images: new Images(docker, { clock, policy: ceilings.images }) };
      });
      connected = { place, client };
    }
    return connected.client.catch((error: unknown) => {
      connected = undefined;
      throw unreachable(what, error);
    });
  };
}

type SweepDeps = Pick<DockerEngineOptions, 'clock' | 'finder' | 'reportError'>;

function createSweeper({ clock, finder, reportError }: SweepDeps, connect: () => Promise<Docker>): Sweeper {
  const what = 'the sweep';
  return new Sweeper({
    clock,
    isGone,
    reportError,
    async list(signal) {
      // Where no engine is, the client need not be loaded to find that out.
      await finder.check({ clock, signal, what });
      const docker = await connect();
      const asked = docker.listContainers({ all: true, filters: { label: [OWNER_LABEL] } });
      const containers = await answered(asked, { clock, signal, what });
      return containers.map(({ Id: id, Labels: labels }): LabelledContainer => ({ id, labels }));
    },
    async remove(id, signal) {
      const docker = await connect();
      await answered(removeContainer(docker.getContainer(id)), { clock, signal, what });
    },
  });
}
