// How a run becomes a Job and its Secrets: the constraints, whose it is, and how values get in without being seen. Pure.
import { createHash } from 'node:crypto';
import { CallError } from '../../../engine/ports.ts';
import { DEFAULT_REGISTRY } from '@svc/shared/images/image-reference';
import { SANDBOX, type IsolatedRun, type RegistryLogins } from '../isolation.ts';
import { DEADLINE_LABEL, OWNER_LABEL, PROCESS_LABEL } from '../orphans.ts';
import { TOOL_CONTAINER } from './objects.ts';

/** On the Job and its pod; its value is the Job's name. */
export const RUN_LABEL = 'svc.run';
const LABEL_MAX_CHARS = 63;
const HASH_CHARS = 10;
/** How a pod's pull Secret names the default registry. */
const DEFAULT_REGISTRY_KEY = 'https://index.docker.io/v1/';
/** A terminated pod has had its time. Zero would take the pod out of the API while it may still run. */
const END_GRACE_SECONDS = 1;

export interface JobContext {
  /** Unique; Secrets are named after it. */
  readonly name: string;
  /** Which worker makes it. */
  readonly owner: string;
  /** Undefined where the system does not report it. */
  readonly process: string | undefined;
  readonly now: number;
  readonly jobTtlMs: number;
  /** `--container-disk-max`; 0: no limit. */
  readonly diskMaxBytes: number;
}

export interface Manifests {
  /** Suspended when it has Secrets, which can be created only once it exists and owns them. */
  readonly job: Record<string, unknown>;
  /** Given the Job's uid: gone when the Job goes. */
  readonly secrets: (jobUid: string) => Record<string, unknown>[];
}

/** Throws CallError `runtime_policy_invalid` for what no cluster can give. */
export function manifestsOf(run: IsolatedRun, context: JobContext): Manifests {
  requireClusterNetwork(run);
  const secrets = secretData(run, context.name);
  const labels = labelsOf(run, context);
  const annotations = annotationsOf(run, context);
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: context.name, labels, annotations },
    spec: {
      suspend: secrets.length > 0,
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      activeDeadlineSeconds: Math.max(1, Math.ceil((run.deadline - context.now) / 1000)),
      ttlSecondsAfterFinished: Math.ceil(context.jobTtlMs / 1000),
      template: { metadata: { labels, annotations }, spec: podSpec(run, context) },
    },
  };
  return { job, secrets: (uid) => secrets.map((secret) => ownedSecret(secret, { name: context.name, uid, labels })) };
}

/** Throws CallError `runtime_policy_invalid` for a network of the tool's own choice. */
export function requireClusterNetwork({ network, what }: { readonly network?: string | undefined; readonly what: string }): void {
  if (network === undefined) return;
  const message = `${what} requests the network "${network.slice(0, 80)}", and a pod has that of its cluster: leave spec.cli.network out, and limit the namespace with a NetworkPolicy`;
  throw new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'network_invalid' });
}

function podSpec(run: IsolatedRun, { name, diskMaxBytes }: JobContext) {
  const [uid, gid] = SANDBOX.user.split(':').map(Number);
  const identity = { runAsNonRoot: true, runAsUser: uid, runAsGroup: gid, seccompProfile: { type: 'RuntimeDefault' } };
  const [command, ...args] = run.command ?? [];
  const limits = { memory: `${SANDBOX.memoryBytes / 1024 / 1024}Mi`, cpu: `${SANDBOX.cpuCores * 1000}m` };
  // Nodes need not set it aside: the root is read-only, and most of it is the log.
  const disk = (bytes: number) => diskMaxBytes > 0 && { 'ephemeral-storage': String(bytes) };
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: END_GRACE_SECONDS,
    securityContext: identity,
    ...(hasLogins(run.registryLogins) && { imagePullSecrets: [{ name: pullSecret(name) }] }),
    containers: [
      {
        name: TOOL_CONTAINER,
        image: run.image,
        ...(command !== undefined && { command: [literal(command)], args: args.map(literal) }),
        ...(run.workingDir !== undefined && { workingDir: run.workingDir }),
        env: Object.keys(run.env).map((variable, index) => ({
          name: variable,
          valueFrom: { secretKeyRef: { name: envSecret(name), key: keyOf(index) } },
        })),
        stdin: run.stdin !== undefined,
        stdinOnce: run.stdin !== undefined,
        tty: false,
        terminationMessagePolicy: 'File',
        resources: { limits: { ...limits, ...disk(diskMaxBytes) }, requests: { ...limits, ...disk(0) } },
        securityContext: {
          ...identity,
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          privileged: false,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  };
}

/** Kubernetes would put variables in the place of `$(NAME)` in a command line. */
function literal(argument: string): string {
  return argument.replaceAll('$', '$$$$');
}

interface SecretData {
  readonly name: string;
  readonly type: string;
  readonly stringData: Readonly<Record<string, string>>;
}

function secretData({ env, registryLogins }: IsolatedRun, job: string): SecretData[] {
  const values = Object.values(env);
  const logins = hasLogins(registryLogins) ? dockerConfig(registryLogins) : undefined;
  return [
    // Names of variables may have characters that keys must not.
    ...(values.length > 0
      ? [{ name: envSecret(job), type: 'Opaque', stringData: Object.fromEntries(values.map((value, index) => [keyOf(index), value])) }]
      : []),
    ...(logins === undefined
      ? []
      : [{ name: pullSecret(job), type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': logins } }]),
  ];
}

const envSecret = (job: string) => `${job}-env`;
const pullSecret = (job: string) => `${job}-pull`;
const keyOf = (index: number) => `v${index}`;

function hasLogins(logins: RegistryLogins | undefined): logins is RegistryLogins {
  return logins !== undefined && Object.keys(logins).length > 0;
}

function dockerConfig(logins: RegistryLogins): string {
  const auths = Object.entries(logins).map(([registry, { username, password }]) => {
    const auth = Buffer.from(`${username}:${password}`).toString('base64');
    return [registry === DEFAULT_REGISTRY ? DEFAULT_REGISTRY_KEY : registry, { username, password, auth }] as const;
  });
  return JSON.stringify({ auths: Object.fromEntries(auths) });
}

interface Owner {
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
}

function ownedSecret({ name, type, stringData }: SecretData, owner: Owner): Record<string, unknown> {
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: owner.name, uid: owner.uid }];
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels: owner.labels, ownerReferences }, type, immutable: true, stringData };
}

/** Labels by which objects are found. Exact values are in the annotations. */
function labelsOf({ owner, mode }: IsolatedRun, context: JobContext): Record<string, string> {
  return {
    [RUN_LABEL]: context.name,
    [OWNER_LABEL]: labelValue(context.owner),
    'svc.request_id': labelValue(owner.requestId),
    'svc.mode': mode,
  };
}

function annotationsOf({ owner, deadline }: IsolatedRun, context: JobContext): Record<string, string> {
  return {
    [OWNER_LABEL]: context.owner,
    [DEADLINE_LABEL]: String(deadline),
    ...(context.process !== undefined && { [PROCESS_LABEL]: context.process }),
    'svc.request_id': owner.requestId,
    'svc.task': owner.taskId,
    'svc.tool': owner.tool,
  };
}

/** The text itself where it may be a label's value, else what of it may with a hash of the whole. */
export function labelValue(text: string): string {
  const safe = text.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[._-]+|[._-]+$/g, '');
  if (safe === text && text.length <= LABEL_MAX_CHARS) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS);
  const kept = safe.slice(0, LABEL_MAX_CHARS - HASH_CHARS - 1).replace(/[._-]+$/, '');
  return kept === '' ? hash : `${kept}-${hash}`;
}
