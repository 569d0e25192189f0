// The connection to a Docker engine, and what its failures mean to a call. Its status codes and the constants of Podman decide, never its words.
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import type { Container } from 'dockerode';
import { isObject } from '@svc/shared/json';
import type { Clock } from '../../../clock.ts';
import { redact } from '../../../egress/redact.ts';
import { CallError } from '../../../engine/ports.ts';
import type { EnginePlace } from './engine-places.ts';

/** How long the engine may take over anything but a pull and a run. */
const ANSWER_MAX_MS = 30_000;
const QUOTE_MAX_CHARS = 300;

/** Loaded when a tool first needs it. Without a socket the client reads Docker's own variables, TLS settings included. */
export async function connectDocker({ socket }: Pick<EnginePlace, 'socket'>): Promise<Docker> {
  const { default: Client } = await import('dockerode');
  // An empty host makes the client use the socket, whatever else its surroundings say.
  return socket === undefined ? new Client() : new Client({ socketPath: socket, host: '' });
}

/** The streams of a container. The client's own `attach` sends its options as a body too, and Podman passes a body to the program as input. */
export function attach({ modem }: Docker, { id }: Container, { stdin }: { readonly stdin: boolean }): Promise<Duplex> {
  const request = {
    path: `/containers/${id}/attach?`,
    method: 'POST',
    options: { stream: true, stdin, stdout: true, stderr: true },
    file: Buffer.alloc(0),
    hijack: true,
    statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
  };
  return new Promise((resolve, reject) => {
    modem.dial(request, (error, stream) => (error ? reject(error) : resolve(stream as Duplex)));
  });
}

/** Whether the answer of an engine to `GET /version` is Podman's. */
export function isPodman(version: unknown): boolean {
  const components: unknown = isObject(version) ? version['Components'] : undefined;
  return Array.isArray(components) && components.some((component) => isObject(component) && component['Name'] === 'Podman Engine');
}

/** The HTTP status of the engine's answer; undefined when it gave none. */
export function engineStatus(error: unknown): number | undefined {
  return isObject(error) && typeof error['statusCode'] === 'number' ? error['statusCode'] : undefined;
}

/** Podman's constant for the cause of an error, such as `network not found`. Source: `libpod/define/errors.go`. */
export function podmanCause(error: unknown): string | undefined {
  const json = isObject(error) ? error['json'] : undefined;
  return isObject(json) && typeof json['cause'] === 'string' ? json['cause'] : undefined;
}

/** Message of the engine, for errors; without the values of variables. */
export function engineMessage(error: unknown, secrets: readonly string[] = []): string {
  const json = isObject(error) ? error['json'] : undefined;
  const said = isObject(json) && typeof json['message'] === 'string' ? json['message'] : clientWords(error);
  return redact(said, secrets).replace(/\s+/g, ' ').trim().slice(0, QUOTE_MAX_CHARS);
}

/** The client keeps the engine's words in its own message where the answer was a stream. */
function clientWords(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^\(HTTP code \d+\) [\w ]+ - /, '') : 'no details';
}

const ADVICE = "start Docker on the worker's machine, or point DOCKER_HOST at one";

export function unreachable(what: string | undefined, cause: unknown, advice = ADVICE): CallError {
  const code = isObject(cause) && typeof cause['code'] === 'string' ? ` (${cause['code']})` : '';
  const subject = what === undefined ? '' : `${what}: `;
  return new CallError('isolation_unavailable', `${subject}the container engine does not answer${code}; ${advice}`, {
    retryable: true,
    reason: 'engine_unreachable',
    cause,
  });
}

/** Error of an engine that gave no answer, or whose answer says that it failed, as with a full disk. */
export function engineFailure(what: string, cause: unknown, secrets: readonly string[] = []): CallError {
  if (engineStatus(cause) === undefined) return unreachable(what, cause);
  const message = `${what}: the container engine failed: ${engineMessage(cause, secrets)}`;
  return new CallError('isolation_unavailable', message, { retryable: true, reason: 'engine_unreachable', cause });
}

export interface RequestOptions {
  readonly clock: Clock;
  /** Stops waiting when it aborts; the engine may still carry out the request. */
  readonly signal?: AbortSignal;
  /** Subject of the request, such as `Tool team/grep`: the beginning of an error's message. */
  readonly what?: string | undefined;
  readonly timeoutMs?: number;
}

/** The answer, or CallError `isolation_unavailable` when none comes in time, or the signal's reason. The engine's own errors pass. */
export async function answered<T>(answer: Promise<T>, { clock, signal, what, timeoutMs = ANSWER_MAX_MS }: RequestOptions): Promise<T> {
  const done = new AbortController();
  let giveUp: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal?.reason as Error);
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
  const late = clock.sleep(timeoutMs, done.signal).then(() => {
    throw unreachable(what, undefined);
  });
  late.catch(() => undefined);
  aborted.catch(() => undefined);
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, aborted, late]);
  } finally {
    done.abort();
    signal?.removeEventListener('abort', giveUp);
  }
}
