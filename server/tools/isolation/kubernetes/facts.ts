// Facts of a trace from the API's description of a pod, and the check that they match the request. Pure.
import { CallError } from '../../../engine/ports.ts';
import { SANDBOX, type IsolationFacts } from '../isolation.ts';
import { toolContainer, toolStatus, type Container, type Pod, type SecurityContext } from './objects.ts';

const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A resource quantity such as `128Mi`, `500m` or `0.5`; undefined for any other text. Source: Kubernetes API, Quantity. */
export function quantity(text: string | number | undefined): number | undefined {
  const [, number = '', suffix = ''] = /^([+-]?\d*\.?\d+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(String(text ?? '')) ?? [];
  const factor = SUFFIXES[suffix];
  return number === '' || factor === undefined ? undefined : Number(number) * factor;
}

/** The pod as the API server has it, after whatever admission made of it. */
export function factsOf(pod: Pod, image: string): IsolationFacts {
  const container = toolContainer(pod) ?? {};
  const status = toolStatus(pod);
  const context: SecurityContext = { ...pod.spec?.securityContext, ...container.securityContext };
  const memory = quantity(container.resources?.limits?.['memory']);
  const cpu = quantity(container.resources?.limits?.['cpu']);
  const disk = quantity(container.resources?.limits?.['ephemeral-storage']);
  const digest = status?.imageID?.split('@').pop();
  const id = status?.containerID?.split('://').pop();
  const node = pod.spec?.nodeName;
  return {
    mode: 'kubernetes',
    backend: 'kubernetes',
    image,
    ...(digest && { image_digest: digest }),
    ...(id && { container_id: id }),
    ...(pod.metadata?.name && { pod: pod.metadata.name }),
    ...(node && { node }),
    ...(context.runAsUser !== undefined && { user: `${context.runAsUser}:${context.runAsGroup ?? 0}` }),
    read_only: isReadOnly(container),
    capabilities: capabilities(context),
    no_new_privileges: context.allowPrivilegeEscalation === false,
    network: pod.spec?.hostNetwork === true ? 'host' : 'cluster',
    ...(memory !== undefined && { memory_bytes: memory }),
    ...(cpu !== undefined && { cpu_cores: cpu }),
    ...(disk !== undefined && { disk_bytes: disk }),
  };
}

function isReadOnly({ securityContext, volumeMounts = [] }: Container): boolean {
  return securityContext?.readOnlyRootFilesystem === true && volumeMounts.every(({ readOnly }) => readOnly === true);
}

function capabilities({ privileged, capabilities: { add = [], drop = [] } = {} }: SecurityContext): string[] {
  if (privileged === true) return ['ALL'];
  return drop.includes('ALL') ? [...add].sort() : ['DEFAULT', ...add];
}

/** A cluster may change a pod at admission: if it loosens it, nothing may run. Throws CallError `isolation_unavailable`. */
export function requireRequestedLimits(
  pod: Pod,
  { what, facts, diskMaxBytes }: { what: string; facts: IsolationFacts; diskMaxBytes: number },
): void {
  const { memory_bytes: memory = Infinity, cpu_cores: cpu = Infinity, disk_bytes: disk = Infinity } = facts;
  const context: SecurityContext = { ...pod.spec?.securityContext, ...toolContainer(pod)?.securityContext };
  const held: Readonly<Record<string, boolean>> = {
    user: facts.user === SANDBOX.user && context.runAsNonRoot === true,
    read_only: facts.read_only === true,
    capabilities: facts.capabilities?.length === 0,
    no_new_privileges: facts.no_new_privileges === true,
    seccomp: context.seccompProfile?.type === 'RuntimeDefault' || context.seccompProfile?.type === 'Localhost',
    network: facts.network === 'cluster' && pod.spec?.hostPID !== true && pod.spec?.hostIPC !== true,
    memory_bytes: memory <= SANDBOX.memoryBytes,
    cpu_cores: cpu <= SANDBOX.cpuCores,
    disk_bytes: diskMaxBytes === 0 || disk <= diskMaxBytes,
  };
  const broken = Object.keys(held).filter((name) => !held[name]);
  if (broken.length === 0) return;
  throw new CallError('isolation_unavailable', `${what} did not run: the cluster changes ${broken.join(', ')} of its pods`, {
    retryable: false,
    reason: 'constraints_not_held',
    isolation: facts,
  });
}
