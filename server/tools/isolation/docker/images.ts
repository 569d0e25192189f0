// Ensures that an image is in the engine: one pull for all waiting calls, progress for each of them, cancelled when no call waits.
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { isListedRegistry, type ImagePolicy } from '@svc/shared/images/image-policy';
import { parseImageReference, type ImageReference } from '@svc/shared/images/image-reference';
import { isObject, readJson, type JsonObject } from '@svc/shared/json';
import type { Clock } from '../../../clock.ts';
import { classifyAddress, type AddressClass } from '../../../egress/addresses.ts';
import { withDeadline } from '../../../egress/deadline.ts';
import { systemResolve, type Resolve } from '../../../egress/guarded-connector.ts';
import { CallError, type CallProgress } from '../../../engine/ports.ts';
import type { ImageRequest, RegistryLogin } from '../isolation.ts';
import { answered, engineFailure, engineMessage, engineStatus, unreachable } from './client.ts';
import type { ImageInfo } from './container-options.ts';

import { PullProgress } from './pull-progress.ts';

const PULL_MAX_MS = 10 * 60_000;
const PROGRESS_INTERVAL_MS = 500;
const ADVICE = 'correct the name, or give image_pull_secret if the registry is private';

const UNLISTED = 'the engine gives no more details of a registry that --allowed-images does not name';
/** Classes of addresses at which an engine speaks plain HTTP, or which belong to its machine. */
const LOCAL: ReadonlySet<AddressClass> = new Set(['loopback', 'metadata', 'link-local', 'unspecified']);

export interface ImagesOptions {
  readonly clock: Clock;
  readonly policy: ImagePolicy;
  /** Name resolution; default: that of the operating system. */
  readonly resolve?: Resolve;
}

export interface PresentImage extends ImageInfo {
  /** `sha256:…` of its manifest, or its id where it never came from a registry. */
  readonly digest: string;
}

interface Pull {
  readonly done: Promise<void>;
  readonly listeners: Set<(progress: CallProgress) => void>;
  readonly abort: AbortController;
  waiting: number;
}

export class Images {
  readonly #docker: Docker;
  readonly #clock: Clock;
  readonly #options: ImagesOptions;
  readonly #pulls = new Map<string, Pull>();

  constructor(docker: Docker, options: ImagesOptions) {
    this.#docker = docker;
    this.#clock = options.clock;
    this.#options = options;
  }

  /** Rejects with CallError: see IsolationEngine.run. */
  async ensure(request: ImageRequest): Promise<PresentImage> {
    const name = parseImageReference(request.image);
    if (!name) throw problem('runtime_policy_invalid', `${request.what} names no image: "${request.image.slice(0, 80)}"`, 'image_invalid');
    const present = await this.#inspect(name, request);
    if (present) return present;
    if (name.isId) throw notFound(name, request, 'it is named by its id, which cannot be pulled');
    const isListed = isListedRegistry(name.registry, this.#options.policy);
    if (!isListed) await requireRemote(name, request, this.#options.resolve ?? systemResolve);
    await this.#pulled(name, request, isListed);
    const pulled = await this.#inspect(name, request);
    if (pulled) return pulled;
    throw problem(
      'isolation_unavailable',
      `${request.what}: the image "${name.reference}" was removed after its pull`,
      'image_pull_failed',
      true,
    );
  }

  async #inspect({ reference }: ImageReference, { signal, what }: ImageRequest): Promise<PresentImage | undefined> {
    try {
      const image = await answered(this.#docker.getImage(reference).inspect(), { clock: this.#clock, signal, what });
      const digests = image.RepoDigests ?? [];
      const variables = image.Config?.Env ?? [];
      return {
        id: image.Id,
        digest: digests[0]?.split('@')[1] ?? image.Id,
        path: variables.find((variable) => variable.startsWith('PATH='))?.slice('PATH='.length),
        variables: variables.map((variable) => variable.split('=', 1)[0] ?? '').filter((name) => name !== ''),
        volumes: Object.keys(image.Config?.Volumes ?? {}),
      };
    } catch (error) {
      if (engineStatus(error) === 404) return undefined;
      throw error instanceof CallError || signal.aborted ? error : engineFailure(what, error);
    }
  }

  async #pulled(...[name, request, isListed]: [ImageReference, ImageRequest, boolean]): Promise<void> {
    const login = request.registryLogins?.[name.registry];
    const key = createHash('sha256')
      .update(JSON.stringify([name.reference, login ?? null]))
      .digest('hex');
    const pull = this.#pulls.get(key) ?? this.#begin(key, name, login);
    const { onProgress, signal, what } = request;
    pull.waiting += 1;
    if (onProgress) {
      pull.listeners.add(onProgress);
      onProgress(progressOf(name, 'started'));
    }
    try {
      await answered(pull.done, { clock: this.#clock, signal, what, timeoutMs: PULL_MAX_MS * 2 });
    } catch (error) {
      throw error instanceof CallError || signal.aborted ? error : pullError(error, { name, request, isListed });
    } finally {
      if (onProgress) pull.listeners.delete(onProgress);
      pull.waiting -= 1;
      // A later call starts a new pull.
      if (pull.waiting === 0 && this.#forget(key, pull)) pull.abort.abort(new Error('no call waits for this image'));
    }
  }

  #begin(key: string, ...[name, login]: [ImageReference, RegistryLogin | undefined]): Pull {
    const abort = new AbortController();
    const listeners = new Set<(progress: CallProgress) => void>();
    const publish = (state: PullState, data: JsonObject) => {
      for (const listener of listeners) listener(progressOf(name, state, data));
    };
    const what = `pull of image "${name.reference}"`;
    const done = withDeadline({ clock: this.#clock, timeoutMs: PULL_MAX_MS, signal: abort.signal, what }, (signal) =>
      this.#pull(name, { login, signal, publish }),
    );
    const pull = { done, listeners, abort, waiting: 0 };
    this.#pulls.set(key, pull);
    const forget = () => void this.#forget(key, pull);
    done.then(forget, forget);
    return pull;
  }

  #forget(key: string, pull: Pull): boolean {
    return this.#pulls.get(key) === pull && this.#pulls.delete(key);
  }

  async #pull({ reference, registry }: ImageReference, { login, signal, publish }: PullContext): Promise<void> {
    const progress = new PullProgress();
    const stream = (await this.#docker.pull(reference, {
      abortSignal: signal,
      ...(login && { authconfig: authOf(login, registry) }),
    })) as Readable;
    let toldAt = this.#clock.now();
    try {
      for await (const line of createInterface({ input: stream, signal })) {
        const event = readJson(line);
        if (isObject(event) && event['error'] !== undefined) throw new PullBroken(event);
        progress.add(event);
        if (this.#clock.now() - toldAt < PROGRESS_INTERVAL_MS) continue;
        toldAt = this.#clock.now();
        publish('pulling', progress.summary());
      }
    } finally {
      stream.destroy();
    }
    signal.throwIfAborted();
    publish('pulled', progress.finish());
  }
}

interface PullContext {
  readonly login: RegistryLogin | undefined;
  readonly signal: AbortSignal;
  readonly publish: (state: PullState, data: JsonObject) => void;
}

type PullState = 'started' | 'pulling' | 'pulled';

function progressOf({ reference }: ImageReference, ...[state, data = {}]: [PullState, JsonObject?]): CallProgress {
  const verb = state === 'pulled' ? 'pulled' : 'pulling';
  return { type: 'tool.image_pull', message: `${verb} image ${reference}`, data: { image: reference, state, ...data } };
}

/** A pull that failed midway: the engine reports it within its answer. */
class PullBroken extends Error {
  override readonly name = 'PullBroken';
  readonly json: { readonly message: string };

  constructor(event: Record<string, unknown>) {
    super('the pull was interrupted');
    this.json = { message: typeof event['error'] === 'string' ? event['error'] : 'no details' };
  }
}

function authOf({ username, password, identityToken }: RegistryLogin, registry: string) {
  return { username, password, serveraddress: registry, ...(identityToken !== undefined && { identitytoken: identityToken }) };
}

interface FailedPull {
  readonly name: ImageReference;
  readonly request: ImageRequest;
  /** An unlisted registry could be any service within the engine's reach: its answer is not repeated. */
  readonly isListed: boolean;
}

function pullError(error: unknown, { name, request, isListed }: FailedPull): CallError {
  const status = engineStatus(error);
  const logins = Object.values(request.registryLogins ?? {}).flatMap(({ password, identityToken }) => [password, identityToken ?? '']);
  const words = isListed ? engineMessage(error, logins) : UNLISTED;
  if (status === 404) return notFound(name, request, words);
  if (status === 400)
    return problem('runtime_policy_invalid', `${request.what} has an image that cannot be pulled: ${words}`, 'image_invalid');
  const broken = error instanceof PullBroken || status !== undefined;
  if (!broken) return unreachable(request.what, error);
  const denied = status === 401 || status === 403;
  const message = `${request.what}: the image "${name.reference}" could not be pulled (${words}); ${ADVICE}`;
  return problem('isolation_unavailable', message, denied ? 'image_pull_denied' : 'image_pull_failed', !denied);
}

/** A public name may point at the engine's own machine. One that does not resolve here may still resolve for the engine. */
async function requireRemote({ registry, reference }: ImageReference, { what, signal }: ImageRequest, resolve: Resolve): Promise<void> {
  const host = registry.replace(/:\d+$/, '');
  const addresses = await new Promise<readonly string[]>((done) => {
    signal.addEventListener('abort', () => done([]), { once: true });
    resolve(host, (error, found) => done(error ? [] : found.map(({ address }) => address)));
  });
  signal.throwIfAborted();
  const local = addresses.find((address) => LOCAL.has(classifyAddress(address)));
  if (local === undefined) return;
  const message = `${what} runs the image "${reference}", whose registry is at a ${classifyAddress(local)} address; list it in --allowed-images to permit that`;
  throw problem('runtime_policy_invalid', message, 'image_not_allowed');
}

function notFound({ reference }: ImageReference, { what }: ImageRequest, words: string): CallError {
  return problem('isolation_unavailable', `${what}: the image "${reference}" does not exist (${words}); ${ADVICE}`, 'image_not_found');
}

function problem(
  code: 'isolation_unavailable' | 'runtime_policy_invalid',
  message: string,
  ...[reason, retryable = false]: [string, boolean?]
): CallError {
  return new CallError(code, message, { retryable, reason });
}
