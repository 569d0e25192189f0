// Changes of the pod of one Job: listed once, then watched; retries after anything but a refusal until its reader stops.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { createInterface } from 'node:readline';
import { isObject, readJsonObject } from '@svc/shared/json';
import type { Clock } from '../../../clock.ts';
import { CallError } from '../../../engine/ports.ts';
import { ApiError, type ApiClient, type RequestOptions } from './api-client.ts';
import { RUN_LABEL } from './manifests.ts';
import type { ObjectList, Pod, PodEvent } from './objects.ts';
import { MAY } from './permissions.ts';

const PODS = '/api/v1/namespaces/{namespace}/pods';
/** The API server ends a watch after this time; one that stays silent for longer has lost its connection. */
const WATCH_SECONDS = 50;
const SILENCE_MAX_MS = 60_000;
const AGAIN_MS = 100;
const RETRY: BackoffRule = { backoffMs: 200, maxBackoffMs: 2_000, jitter: 'none' };
const GONE = 410;

export interface PodWatch {
  readonly job: string;
  readonly what: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Ends never by itself. Rejects with the signal's reason, or with the CallError of a refusal. */
export async function* watchPod(api: ApiClient, watch: PodWatch): AsyncGenerator<PodEvent> {
  const { clock, signal } = watch;
  const reader = new PodReader(api, watch);
  for (let failures = 0; ;) {
    try {
      for await (const event of reader.next()) {
        failures = 0;
        yield event;
      }
      if (reader.watched) await clock.sleep(AGAIN_MS, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CallError && !error.retryable) throw error;
      failures += 1;
      await clock.sleep(backoffMs(RETRY, { failures, random: 0 }), signal);
    }
  }
}

class PodReader {
  readonly #api: ApiClient;
  readonly #watch: PodWatch;
  /** Undefined: it has to be listed first. */
  #version: string | undefined;
  #known: Pod | undefined;
  /** Whether what ended last was a watch. */
  watched = false;

  constructor(api: ApiClient, watch: PodWatch) {
    this.#api = api;
    this.#watch = watch;
  }

  /** A list, or one watch to its end. */
  async *next(): AsyncGenerator<PodEvent> {
    this.watched = this.#version !== undefined;
    if (this.#version === undefined) yield* this.#listed();
    else yield* this.#watched(this.#version);
  }

  async *#listed(): AsyncGenerator<PodEvent> {
    const { metadata, items = [] } = (await this.#api.json({ ...this.#asking(), permission: MAY.listPods })) as ObjectList<Pod>;
    this.#version = metadata?.resourceVersion ?? '0';
    const [pod] = items;
    // It was deleted between two watches.
    if (!pod && this.#known) yield { pod: this.#known, deleted: true };
    if (pod) yield this.#seen(pod, false);
  }

  async *#watched(resourceVersion: string): AsyncGenerator<PodEvent> {
    const more = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: String(WATCH_SECONDS), resourceVersion };
    const asking = this.#asking(more);
    const body = await this.#api.stream({ ...asking, permission: MAY.watchPods, silenceMaxMs: SILENCE_MAX_MS }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === GONE) this.#version = undefined;
      throw error;
    });
    const lines = createInterface({ input: body });
    // The line reader reports no error of its source; the next watch begins where this one ended.
    body.on('error', () => lines.close());
    try {
      for await (const line of lines) {
        const event = this.#eventOf(line);
        if (event) yield event;
      }
      this.#watch.signal.throwIfAborted();
    } finally {
      lines.close();
      body.destroy();
    }
  }

  #eventOf(line: string): PodEvent | undefined {
    const { type, object } = readJsonObject(line) ?? {};
    if (!isObject(object)) return undefined;
    if (type === 'ERROR') {
      // Mostly 410: the version is too old to continue from.
      this.#version = undefined;
      throw new Error('the watch cannot continue');
    }
    const pod = object as Pod;
    this.#version = pod.metadata?.resourceVersion ?? this.#version;
    return type === 'BOOKMARK' ? undefined : this.#seen(pod, type === 'DELETED');
  }

  #seen(pod: Pod, deleted: boolean): PodEvent {
    this.#known = pod;
    return { pod, deleted };
  }

  #asking(query: Record<string, string> = {}): Omit<RequestOptions, 'permission'> {
    const { job, what, signal } = this.#watch;
    return { method: 'GET', path: PODS, query: { labelSelector: `${RUN_LABEL}=${job}`, ...query }, what, signal };
  }
}
