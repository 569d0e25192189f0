// How a command starts in an image with nothing but its declared variables: the container runtime sets HOME by itself, and a bare name needs PATH to be found.
// So names are looked up beforehand, and the image's own `env` takes HOME away. An image without `env` keeps HOME.
import type Docker from 'dockerode';
import { isObject } from '@svc/shared/json';
import { trimEnd } from '@svc/shared/trim-end';
import { LRUCache } from 'lru-cache';
import type { IsolatedRun } from '../isolation.ts';
import { engineStatus } from './client.ts';

/** PATH of images that set none. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const ENV_PROGRAMS = ['/usr/bin/env', '/bin/env'];
const PLACES_MAX = 32;
const KNOWN_MAX = 1_000;
/** Bits of the mode in a file's header: directory, symbolic link, executable by anybody. Source: Go's io/fs FileMode. */
const DIRECTORY = 2 ** 31;
const SYMLINK = 2 ** 27;
const EXECUTABLE = 0o111;

export interface Launch {
  /** The command's absolute path in the image; undefined when it was not found there. */
  readonly program: string | undefined;
  /** The image's `env`. */
  readonly env: string | undefined;
}

export interface LaunchImage {
  readonly id: string;
  /** PATH as the image sets it. */
  readonly path: string | undefined;
}

export class Launcher {
  /** Paths of an image never change: its id is a hash of its content. */
  readonly #known = new LRUCache<string, Launch>({ max: KNOWN_MAX });

  /** `makeContainer` makes one that is never started, and removes it when `look` is done. */
  async find(run: Pick<IsolatedRun, 'command' | 'env' | 'envBase'>, image: LaunchImage, makeContainer: MakeContainer): Promise<Launch> {
    const command = run.command?.[0];
    if (command === undefined || run.envBase === 'image' || !isFindable(command)) return { program: undefined, env: undefined };
    const path = run.env['PATH'] ?? image.path ?? DEFAULT_PATH;
    const key = JSON.stringify([image.id, command, path]);
    const known = this.#known.get(key);
    if (known) return known;
    const found = await makeContainer(async (container) => {
      const program = await firstProgram(container, placesOf(command, path));
      return { program, env: program === undefined ? undefined : await firstProgram(container, ENV_PROGRAMS) };
    });
    this.#known.set(key, found);
    return found;
  }
}

export type MakeContainer = (look: (container: Docker.Container) => Promise<Launch>) => Promise<Launch>;

/** The command line that starts `command` as a launch says, without the variables `unset`, if the image has `env`. Pure. */
export function launchLine(command: readonly [string, ...string[]], { program, env }: Launch, unset: readonly string[]): readonly string[] {
  if (program === undefined) return command;
  const [, ...args] = command;
  if (env === undefined || unset.length === 0) return [program, ...args];
  return [env, ...unset.flatMap((name) => ['-u', name]), program, ...args];
}

/** `env` would take a name with "=" for a variable; one relative to the working directory is the engine's to find. */
function isFindable(command: string): boolean {
  return !command.includes('=') && (command.startsWith('/') || !command.includes('/'));
}

function placesOf(command: string, path: string): string[] {
  if (command.startsWith('/')) return [command];
  const places = path.split(':').filter((place) => place.startsWith('/'));
  return places.slice(0, PLACES_MAX).map((place) => `${trimEnd(place, '/')}/${command}`);
}

async function firstProgram(container: Docker.Container, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isProgram(container, path)) return path;
  return undefined;
}

async function isProgram(container: Docker.Container, path: string): Promise<boolean> {
  try {
    const response: unknown = await container.infoArchive({ path });
    const headers = isObject(response) && isObject(response['headers']) ? response['headers'] : {};
    const stat: unknown = JSON.parse(Buffer.from(String(headers['x-docker-container-path-stat']), 'base64').toString('utf8'));
    const mode = isObject(stat) && typeof stat['mode'] === 'number' ? stat['mode'] : 0;
    if (mode >= DIRECTORY) return false;
    return Math.floor(mode / SYMLINK) % 2 === 1 || (mode & EXECUTABLE) !== 0;
  } catch (error) {
    if (engineStatus(error) !== undefined) return false;
    throw error;
  }
}
