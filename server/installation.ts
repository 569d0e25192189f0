// Where the programs are installed: the version, the blueprints that came with it, the checkout. Works from sources and from the build output.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function nearestUp(marker: string): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, marker))) {
    const parent = dirname(directory);
    if (parent === directory)
      throw new Error(`this installation is incomplete: ${marker} is missing above ${fileURLToPath(import.meta.url)}`);
    directory = parent;
  }
  return join(directory, marker);
}

export function installedVersion(): string {
  const { version } = JSON.parse(readFileSync(nearestUp('package.json'), 'utf8')) as { version: string };
  return version;
}

export function blueprintsDirectory(): string {
  return nearestUp(join('resources', 'blueprints'));
}

/** Where the build puts the files of the web console; they need not be there. */
export function builtConsoleDirectory(): string {
  // The nearest package is the server's own, one below the root.
  return join(dirname(nearestUp('package.json')), '..', 'out', 'renderer');
}

/** The root of the checkout. */
export function projectDirectory(): string {
  return dirname(nearestUp('ARCHITECTURE.md'));
}
