// Choice of the container engine: the first place that answers. It stays in use while it answers; after that all places are searched again.
import { request } from 'node:http';
import { stat } from 'node:fs/promises';
import { isObject } from '@svc/shared/json';
import { CallError } from '../../../engine/ports.ts';
import { answered, connectDocker, isPodman, unreachable, type RequestOptions } from './client.ts';
import { enginePlaces, searchedSentence, type EnginePlace, type EngineSurroundings } from './engine-places.ts';

/** Together within the two seconds of `IsolationEngine.check`. */
const PING_MAX_MS = 1_200;
const FACTS_MAX_MS = 500;
const REPLY_MAX_BYTES = 256 * 1024;
const VERSION = /^[\w.+~-]{1,40}$/;

export interface EngineFacts {
  readonly place: EnginePlace;
  /** Such as `Podman 4.9.3, rootless, at /run/user/1000/podman/podman.sock`. */
  readonly description: string;
}

type TriedPlace = { readonly place: EnginePlace } & ({ readonly ok: true } | { readonly ok: false; readonly code: string });

export class EngineFinder {
  readonly #around: EngineSurroundings;
  readonly #places: typeof enginePlaces;
  #place: EnginePlace | undefined;
  #facts: EngineFacts | undefined;

  constructor(around: EngineSurroundings, places = enginePlaces) {
    this.#around = around;
    this.#places = places;
  }

  /** Place in use; without one the places are searched. Rejects with CallError `isolation_unavailable`, whose message says what to do. */
  async place(asking: RequestOptions): Promise<EnginePlace> {
    return this.#place ?? (await this.#search(asking));
  }

  /** Checks that the place in use answers, and searches the others when it does not. Rejects as `place` does. */
  async check(asking: RequestOptions): Promise<EnginePlace> {
    const place = this.#place;
    if (place && (await ping(place, asking)).ok) return place;
    this.#place = undefined;
    return this.#search(asking);
  }

  /** The engine of a place in words of its own; read once. */
  async describe(place: EnginePlace, asking: RequestOptions): Promise<string> {
    if (this.#facts?.place === place) return this.#facts.description;
    const name = await productOf(place, asking);
    const description = `${name ?? place.by} at ${place.socket ?? this.#around.env['DOCKER_HOST'] ?? 'its default address'}`;
    if (name !== undefined) this.#facts = { place, description };
    return description;
  }

  async #search(asking: RequestOptions): Promise<EnginePlace> {
    const places = await this.#places(this.#around);
    const tried = await Promise.all(places.map((place) => ping(place, asking)));
    asking.signal?.throwIfAborted();
    const found = tried.find(({ ok }) => ok);
    // Searches at once end with one place, so that all callers share its client.
    if (found) return (this.#place ??= found.place);
    const code = tried.find((each) => !each.ok && each.code !== 'ENOENT');
    throw unreachable(asking.what, code && !code.ok ? { code: code.code } : { code: 'ENOENT' }, adviceOf(tried, this.#around.platform));
  }
}

/** Remedies for existing sockets; without one, the products that would create one. */
function adviceOf(tried: readonly TriedPlace[], platform: NodeJS.Platform): string {
  const silent = tried.flatMap((each) => (each.ok || (each.code === 'ENOENT' && each.place.only !== true) ? [] : [each]));
  if (silent.length === 0)
    return searchedSentence(
      tried.map(({ place }) => place),
      platform,
    );
  return silent.map(problemOf).join('; ');
}

function problemOf({ place, code }: Extract<TriedPlace, { ok: false }>): string {
  const { by, socket, start, only, unusable } = place;
  if (unusable !== undefined) return `${by} ${unusable}`;
  if (only) return `${by}: ${start}`;
  if (code === 'EACCES' || code === 'EPERM')
    return `${by} refuses this user at ${socket}: add the user to the group of the socket, and start this process again`;
  return `${by} does not answer at ${socket}: ${start}`;
}

async function ping(place: EnginePlace, asking: RequestOptions): Promise<TriedPlace> {
  if (place.unusable !== undefined) return { ok: false, place, code: 'UNUSABLE' };
  try {
    const { socket } = place;
    if (socket === undefined) await answered((await connectDocker(place)).ping(), { ...asking, timeoutMs: PING_MAX_MS });
    else {
      if (socket.startsWith('/') && !socket.startsWith('//')) await stat(socket);
      await ask(socket, '/_ping', { ...asking, timeoutMs: PING_MAX_MS });
    }
    return { ok: true, place };
  } catch (error) {
    const cause = error instanceof CallError ? error.cause : error;
    const { code, syscall } = isObject(cause) ? cause : {};
    // The user cannot search the folder, as under ProtectHome= of systemd: a group of the socket would not help.
    if (code === 'EACCES' && syscall === 'stat' && place.only !== true) return { ok: false, place, code: 'ENOENT' };
    return { ok: false, place, code: typeof code === 'string' ? code : 'SILENT' };
  }
}

/** Product and version, as the engine reports them; undefined when it does not. */
async function productOf({ socket }: EnginePlace, asking: RequestOptions): Promise<string | undefined> {
  if (socket === undefined) return undefined;
  const limited = { ...asking, timeoutMs: FACTS_MAX_MS };
  const [version, info] = await Promise.all(
    ['/version', '/info'].map((path) =>
      ask(socket, path, limited).then(
        (text) => JSON.parse(text) as unknown,
        () => undefined,
      ),
    ),
  ).catch(() => []);
  if (!isObject(version)) return undefined;
  const number = typeof version['Version'] === 'string' && VERSION.test(version['Version']) ? ` ${version['Version']}` : '';
  const options: unknown = isObject(info) ? info['SecurityOptions'] : undefined;
  const rootless = Array.isArray(options) && options.includes('name=rootless') ? ', rootless,' : '';
  return `${isPodman(version) ? 'Podman' : 'Docker'}${number}${rootless}`;
}

/** Body of the engine's answer to a GET, without the client, which takes long to load. */
function ask(socketPath: string, path: string, asking: RequestOptions): Promise<string> {
  const given = new AbortController();
  const answer = new Promise<string>((resolve, reject) => {
    const asked = request({ socketPath, path, agent: false, signal: given.signal }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
        if (body.length > REPLY_MAX_BYTES) asked.destroy(new Error('the engine sent more than this process reads'));
      });
      response.once('error', reject);
      response.once('end', () => (response.statusCode === 200 ? resolve(body) : reject(new Error(`status ${response.statusCode}`))));
    });
    asked.once('error', reject);
    asked.end();
  });
  return answered(answer, asking).finally(() => given.abort());
}
