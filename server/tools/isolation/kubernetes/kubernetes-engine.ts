// The isolation engine over the Kubernetes API: a Job for each call. Jobs are removed in every outcome: after each run, by the sweeper where a process died first, and by their own time to live.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../clock.ts';
import { withDeadline } from '../../../egress/deadline.ts';
import { CallError } from '../../../engine/ports.ts';
import { OWNER_LABEL, Sweeper, type LabelledContainer } from '../orphans.ts';
import type { IsolationEngine } from '../isolation.ts';
import { identityOf, isGone } from '../process-identity.ts';
import { ApiClient, unreachable } from './api-client.ts';
import { Cluster, type ClusterEnvironment, type ClusterFlags } from './cluster.ts';
import { JOBS, removeJob, runJob } from './job-run.ts';
import { manifestsOf } from './manifests.ts';
import type { Job, ObjectList } from './objects.ts';
import { RULES_REVIEW, MAY, missingPermissions, permissionText } from './permissions.ts';

const CHECK_MAX_MS = 1_800;
const RULES = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

export interface KubernetesEngineOptions {
  readonly clock: Clock;
  readonly cluster: ClusterFlags & { readonly jobTtlMs: number };
  readonly environment: ClusterEnvironment;
  /** `--container-disk-max`; 0: no limit. */
  readonly diskMaxBytes: number;
  /** Names the worker on its Jobs. */
  readonly owner: string;
  /** Called for Jobs that could not be removed. */
  readonly reportError: (error: unknown) => void;
}

export function createKubernetesEngine({
  clock,
  cluster: flags,
  environment,
  diskMaxBytes,
  owner,
  reportError,
}: KubernetesEngineOptions): IsolationEngine {
  const cluster = new Cluster(flags, environment);
  const api = new ApiClient(cluster);
  const ownership = { owner, process: identityOf(process.pid) };
  const sweeper = new Sweeper({
    clock,
    isGone,
    reportError,
    list: (signal) => leftJobs(api, signal),
    remove: (name, signal) => removeJob({ api, clock }, { name, what: 'the sweep', signal }),
  });
  return {
    name: 'kubernetes',
    check: () => check(api, clock),
    // The cluster's nodes fetch their images by themselves.
    prepare: () => Promise.resolve(),
    async run(run) {
      const name = `svc-${randomUUID()}`;
      const manifests = manifestsOf(run, { name, ...ownership, now: clock.now(), jobTtlMs: flags.jobTtlMs, diskMaxBytes });
      return runJob({ api, clock, reportError }, run, { name, manifests, diskMaxBytes });
    },
    start: () => sweeper.start(),
    async stop() {
      await sweeper.stop();
      await cluster.close();
    },
  };
}

async function leftJobs(api: ApiClient, signal: AbortSignal): Promise<LabelledContainer[]> {
  const query = { labelSelector: OWNER_LABEL };
  const asking = { method: 'GET', path: JOBS, query, permission: MAY.listJobs, what: 'the sweep', signal } as const;
  const { items = [] } = (await api.json(asking)) as ObjectList<Job>;
  return items.map(({ metadata = {} }) => ({ id: metadata.name ?? '', labels: metadata.annotations ?? {} }));
}

/** Checks that the API answers, takes the token and permits all that a run needs. */
async function check(api: ApiClient, clock: Clock): Promise<string> {
  const what = 'isolation by Kubernetes is not available';
  const { namespace } = await api.connection(what);
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
  const { signal } = new AbortController();
  const review = await withDeadline({ clock, timeoutMs: CHECK_MAX_MS, signal, what }, (limited) =>
    api.json({ method: 'POST', path: RULES, body, permission: RULES_REVIEW, what, signal: limited }),
  ).catch((error: unknown) => {
    throw error instanceof CallError && error.code === 'isolation_unavailable' ? error : unreachable(what, error);
  });
  const missing = missingPermissions(review).map(permissionText);
  if (missing.length === 0) return `Kubernetes, namespace ${namespace}`;
  const message = `${what}: its account lacks "${missing.join('", "')}" in namespace "${namespace}"`;
  throw new CallError('isolation_unavailable', message, { retryable: false, reason: 'cluster_forbidden' });
}
