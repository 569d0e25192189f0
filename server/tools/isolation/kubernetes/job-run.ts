// One Job from its making to its removal: Secrets, start, input, end, output, facts. Knows the API; decides no policy.
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { endsWithin, type Clock } from '../../../clock.ts';
import { orAborted } from '../../../egress/deadline.ts';
import { CallError } from '../../../engine/ports.ts';
import type { IsolatedResult, IsolatedRun, IsolationFacts } from '../isolation.ts';
import { withFacts } from '../with-facts.ts';
import { ApiError, inNamespace, quoted, unreachable, type ApiClient } from './api-client.ts';
import { attach, type Attachment } from './attachment.ts';
import { factsOf, requireRequestedLimits } from './facts.ts';
import type { Manifests } from './manifests.ts';
import { TOOL_CONTAINER, type Job, type Pod } from './objects.ts';
import { MAY } from './permissions.ts';
import { podState, type ContainerEnd, type PodState } from './pod-state.ts';
import { watchPod } from './pod-watch.ts';
import { RunOutput, type Output } from './run-output.ts';

export const JOBS = '/apis/batch/v1/namespaces/{namespace}/jobs';
const SECRETS = '/api/v1/namespaces/{namespace}/secrets';
const PODS = '/api/v1/namespaces/{namespace}/pods';
/** How long the last output may take once the command has ended. */
const DRAIN_MAX_MS = 5_000;
const ATTACH_TRIES = 6;
const ATTACH_RETRY: BackoffRule = { backoffMs: 300, maxBackoffMs: 10_000, jitter: 'none' };
/** After a lost connection: time within which the end of the command must be reported. */
const LOST_GRACE_MS = 3_000;
const LOG_TRIES = 3;
const LOG_RETRY_MS = 300;
const REMOVE_WAIT_MS = 5_000;
const DELETE_TRIES = 3;
const DELETE_RETRY_MS = 500;

export interface JobDeps {
  readonly api: ApiClient;
  readonly clock: Clock;
  /** Called for a Job that could not be removed; it is swept later. */
  readonly reportError: (error: unknown) => void;
}

export interface JobPlan {
  readonly name: string;
  readonly manifests: Manifests;
  /** Limit that the manifests put on files; 0: no limit. */
  readonly diskMaxBytes: number;
}

export async function runJob(deps: JobDeps, run: IsolatedRun, plan: JobPlan): Promise<IsolatedResult> {
  const { api } = deps;
  const { what, signal } = run;
  signal.throwIfAborted();
  // Without the signal: a created Job must be removed even without a waiting caller.
  const created = api.json({
    method: 'POST',
    path: JOBS,
    body: plan.manifests.job,
    secrets: secretsOf(run),
    permission: MAY.createJobs,
    what,
  });
  try {
    const job = (await orAborted(created, signal)) as Job;
    await begin(deps, run, { ...plan, job });
    return await new JobRun(deps, run, plan).toEnd();
  } catch (error) {
    throw error instanceof ApiError ? refused(error, run) : error;
  } finally {
    // A slow removal continues in the background.
    await endsWithin(dispose(deps, created, { name: plan.name, what }), { clock: deps.clock, ms: REMOVE_WAIT_MS });
  }
}

/** Never rejects. */
async function dispose(deps: JobDeps, created: Promise<unknown>, removal: Removal): Promise<void> {
  const made = await created.then(
    () => true,
    // A refused Job was not made; without an answer it may have been.
    (error: unknown) => error instanceof CallError && error.retryable,
  );
  if (made) await removeJob(deps, removal).catch(deps.reportError);
}

/** Makes the Job's Secrets, and lets it run. */
async function begin({ api }: JobDeps, run: IsolatedRun, { name, manifests, job }: JobPlan & { readonly job: Job }): Promise<void> {
  const { what, signal } = run;
  const objects = manifests.secrets(job.metadata?.uid ?? '');
  if (objects.length === 0) return;
  const asking = { method: 'POST', path: SECRETS, secrets: secretsOf(run), permission: MAY.createSecrets, what, signal } as const;
  await Promise.all(objects.map((body) => api.json({ ...asking, body })));
  const body = { spec: { suspend: false } };
  await api.json({ method: 'PATCH', path: `${JOBS}/${name}`, body, permission: MAY.patchJobs, what, signal });
}

export interface Removal {
  readonly name: string;
  readonly what: string;
  readonly signal?: AbortSignal;
}

/** With its pods and Secrets, which the cluster collects. One that is gone is fine. */
export async function removeJob({ api, clock }: Pick<JobDeps, 'api' | 'clock'>, { name, ...asking }: Removal): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
  for (let tries = 1; ; tries += 1) {
    try {
      await api.json({ method: 'DELETE', path: `${JOBS}/${name}`, body, permission: MAY.deleteJobs, ...asking });
      return;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return;
      if (tries === DELETE_TRIES || !(error instanceof CallError && error.retryable)) throw error;
      await clock.sleep(DELETE_RETRY_MS * tries, asking.signal);
    }
  }
}

class JobRun {
  readonly #deps: JobDeps;
  readonly #run: IsolatedRun;
  readonly #name: string;
  readonly #diskMaxBytes: number;
  readonly #output: RunOutput;
  /** Aborts when the call is over for another reason than the command's end; the reason is what the call fails with. */
  readonly #cut = new AbortController();
  /** Aborts when the command has ended. */
  readonly #over = new AbortController();
  #facts: IsolationFacts | undefined;
  #attaching: Promise<Attachment | undefined> | undefined;

  constructor(...[deps, run, { name, diskMaxBytes }]: [JobDeps, IsolatedRun, Pick<JobPlan, 'name' | 'diskMaxBytes'>]) {
    this.#deps = deps;
    this.#run = run;
    this.#name = name;
    this.#diskMaxBytes = diskMaxBytes;
    this.#output = new RunOutput(run, () => {
      this.#cut.abort(this.#failed(`it wrote more than ${run.floodMaxBytes} bytes and was ended`, 'output_flood'));
    });
    setMaxListeners(0, this.#cut.signal);
  }

  async toEnd(): Promise<IsolatedResult> {
    const { signal } = this.#run;
    const onAbort = () => this.#cut.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const { pod, end } = await this.#ended();
      this.#over.abort();
      const output = await this.#settled(pod);
      return this.#result(end, output);
    } catch (error) {
      const reason: unknown = this.#cut.signal.aborted ? this.#cut.signal.reason : error;
      throw this.#facts ? withFacts(reason, this.#facts) : reason;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#over.abort();
      this.#cut.abort();
      void this.#attaching?.then((attachment) => attachment?.close());
    }
  }

  async #ended(): Promise<{ pod: Pod; end: ContainerEnd }> {
    const { what } = this.#run;
    let reported = '';
    for await (const event of watchPod(this.#deps.api, { job: this.#name, what, signal: this.#cut.signal, clock: this.#deps.clock })) {
      this.#look(event.pod);
      const state = podState(event);
      if (state.kind === 'ended') return { pod: event.pod, end: state.end };
      if (state.kind === 'running') this.#attach(event.pod);
      else if (state.kind !== 'waiting') throw await this.#problem(state);
      else if (reported !== state.reason) this.#publish((reported = state.reason), state.message);
    }
    throw unreachable(what, undefined);
  }

  #look(pod: Pod): void {
    this.#facts = factsOf(pod, this.#run.image);
    requireRequestedLimits(pod, { what: this.#run.what, facts: this.#facts, diskMaxBytes: this.#diskMaxBytes });
  }

  #publish(reason: string, message: string): void {
    const { onProgress, what } = this.#run;
    const words = message === '' ? '' : `: ${this.#quoted(message)}`;
    onProgress?.({ type: 'tool.pod_waiting', message: `the pod of ${what} waits (${reason})${words}`, data: { reason } });
  }

  /** Once; the call is cut short when its input cannot get in. */
  #attach(pod: Pod): void {
    this.#attaching ??= this.#attached(pod).catch((error: unknown) => {
      this.#cut.abort(error);
      return undefined;
    });
  }

  /** Undefined where the log will do. */
  async #attached(pod: Pod): Promise<Attachment | undefined> {
    const { clock } = this.#deps;
    const over = AbortSignal.any([this.#over.signal, this.#cut.signal]);
    for (let tries = 1; tries <= ATTACH_TRIES && !over.aborted; tries += 1) {
      const attachment = await this.#attachOnce(`${PODS}/${pod.metadata?.name ?? ''}/attach`);
      if (attachment) return this.#heeded(attachment);
      if (this.#run.stdin === undefined) return undefined;
      await clock.sleep(backoffMs(ATTACH_RETRY, { failures: tries, random: 0 }), over).catch(() => undefined);
    }
    if (over.aborted) return undefined;
    throw new CallError('isolation_unavailable', `${this.#run.what}: the cluster did not accept input for its pod`, {
      retryable: false,
      reason: 'attach_failed',
    });
  }

  async #attachOnce(path: string): Promise<Attachment | undefined> {
    const { api, clock } = this.#deps;
    const { what, stdin } = this.#run;
    const { stdout, stderr } = this.#output;
    const connection = await api.connection(what);
    try {
      const streams = { onStdout: (bytes: Uint8Array) => stdout.push(bytes), onStderr: (bytes: Uint8Array) => stderr.push(bytes) };
      return await attach(connection, { path: inNamespace(path, connection), stdin, clock, ...streams });
    } catch {
      if (stdin === undefined) return undefined;
      // The same request without the upgrade returns the reason: a refusal is final, any other failure may be temporary.
      await api.json({ method: 'GET', path, permission: MAY.attach, what }).catch((error: unknown) => {
        if (error instanceof CallError && !error.retryable) throw error;
      });
      return undefined;
    }
  }

  #heeded(attachment: Attachment): Attachment {
    if (this.#cut.signal.aborted) attachment.close();
    if (this.#run.stdin === undefined) return attachment;
    void attachment.over.then(async (how) => {
      if (how === 'ended') return;
      // A command may end without reading its input.
      const ended = await this.#deps.clock.sleep(LOST_GRACE_MS, this.#over.signal).then(
        () => false,
        () => true,
      );
      if (!ended) this.#cut.abort(this.#failed('the connection broke while its input was sent, and it was ended', 'input_lost'));
    });
    return attachment;
  }

  /** The command has ended: all that it wrote. */
  async #settled(pod: Pod): Promise<Output> {
    const { signal } = this.#cut;
    const drained = this.#attaching?.then((attachment) => attachment?.over);
    await endsWithin(drained, { clock: this.#deps.clock, ms: DRAIN_MAX_MS, signal });
    try {
      const output = await this.#output.settle(await this.#log(pod));
      signal.throwIfAborted();
      return output;
    } catch (error) {
      // A command that has run is not repeated because its output is lost.
      if (signal.aborted || (error instanceof CallError && !error.retryable)) throw error;
      throw this.#failed('it has ended, and its output can no longer be read', 'output_lost');
    }
  }

  async #log(pod: Pod): Promise<Readable> {
    const { api, clock } = this.#deps;
    const { what, floodMaxBytes } = this.#run;
    const path = `${PODS}/${pod.metadata?.name ?? ''}/log`;
    const query = { container: TOOL_CONTAINER, limitBytes: String(floodMaxBytes + 1) };
    const { signal } = this.#cut;
    for (let tries = 1; ; tries += 1) {
      try {
        return await api.stream({ method: 'GET', path, query, permission: MAY.readLogs, what, signal });
      } catch (error) {
        // The node may be slow to say.
        if (tries === LOG_TRIES || (error instanceof CallError && !error.retryable)) throw error;
        await clock.sleep(LOG_RETRY_MS * tries, signal);
      }
    }
  }

  #result(end: ContainerEnd, { streams, ...output }: Output): IsolatedResult {
    const { exitCode, oomKilled, signal } = end;
    const facts: IsolationFacts = {
      mode: 'kubernetes',
      backend: 'kubernetes',
      ...this.#facts,
      streams,
      exit_code: exitCode,
      ...(signal !== undefined && { signal }),
      ...(oomKilled && { oom_killed: true }),
    };
    return { ...output, ...end, facts };
  }

  async #problem(state: Exclude<PodState, { kind: 'waiting' | 'running' | 'ended' }>): Promise<CallError> {
    const { what, image, command } = this.#run;
    const words = state.message === '' ? '' : `: ${this.#quoted(state.message)}`;
    const unavailable = (message: string, reason: string, retryable: boolean) =>
      new CallError('isolation_unavailable', `${what}: ${message}`, { retryable, reason });
    if (state.kind === 'no-image') {
      const message = `the cluster has no image "${image}" (${state.reason})${words}; correct the name, or give image_pull_secret if the registry is private`;
      return unavailable(message, state.problem, state.problem === 'image_pull_failed');
    }
    if (state.kind === 'not-started') {
      const program = command?.[0] ?? 'the command of its image';
      const options = { retryable: false, reason: 'start_failed', isolation: { ...this.#facts, exit_code: state.exitCode } };
      return new CallError('execution_failed', `${what}: "${program}" could not be started in "${image}"${words}`, options);
    }
    if (await this.#isPastDeadline()) {
      return new CallError('timeout', `${what} took longer than its Job may`, { retryable: true, reason: 'timeout' });
    }
    const message = `its pod was evicted or rejected (${state.reason})${words}`;
    return state.began ? this.#failed(message, 'pod_lost') : unavailable(message, 'pod_lost', true);
  }

  async #isPastDeadline(): Promise<boolean> {
    const { what } = this.#run;
    const asking = { method: 'GET', path: `${JOBS}/${this.#name}`, permission: MAY.getJobs, what, signal: this.#cut.signal } as const;
    const job = (await this.#deps.api.json(asking).catch(() => ({}))) as Job;
    return job.status?.conditions?.some(({ reason }) => reason === 'DeadlineExceeded') === true;
  }

  #failed(message: string, reason: string): CallError {
    return new CallError('execution_failed', `${this.#run.what}: ${message}`, { retryable: false, reason });
  }

  #quoted(text: string): string {
    return quoted(text, secretsOf(this.#run));
  }
}

function secretsOf({ env, registryLogins = {} }: IsolatedRun): string[] {
  return [
    ...Object.values(env),
    ...Object.values(registryLogins).flatMap(({ password, identityToken }) => [password, identityToken ?? '']),
  ];
}

function refused(error: ApiError, run: IsolatedRun): CallError {
  const words = error.words === '' ? '' : `: ${error.words}`;
  if (error.status === 404 || error.status === 409) {
    const message = `${run.what}: its namespace or its Job does not exist or is being deleted${words}; see --kubernetes-namespace`;
    return new CallError('isolation_unavailable', message, { retryable: false, reason: 'namespace_not_found' });
  }
  const message = `${run.what} cannot run as it is declared: the Kubernetes API answered ${error.status}${words}`;
  return new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'pod_refused' });
}
