// Where the programs are installed: version, blueprints, console, thread programs. Works from the sources, from the build output and from the npm package.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

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

/** Directory of the server's package.json: `server/` in a checkout, the root of an installed npm package. */
function packageDirectory(): string {
  return dirname(nearestUp('package.json'));
}

export function installedVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageDirectory(), 'package.json'), 'utf8')) as { version: string };
  return version;
}

export function blueprintsDirectory(): string {
  return nearestUp(join('resources', 'blueprints'));
}

/** Program svcctl. The desktop app holds it beside its archive, which only Electron reads. */
export function svcctlProgram(): string {
  const own = join(packageDirectory(), 'bin', 'svcctl.mjs');
  return existsSync(own) ? own : join(packageDirectory(), '..', 'svcctl', 'bin', 'svcctl.mjs');
}

/** A program that threads run, such as `checks/thread.mjs`. The build does not copy it. */
export function threadProgram(path: string): string {
  return join(packageDirectory(), path);
}

/** Address of a module that threads load, such as `manifest/yaml-thread`: the source or the build output, as this file is. */
export function threadModule(path: string): string {
  const file = import.meta.url.endsWith('.ts') ? `${path}.ts` : join('dist', `${path}.js`);
  return pathToFileURL(join(packageDirectory(), file)).href;
}

/** Files of the web console; the directory may be missing. The npm package holds them, a checkout builds them beside the server. */
export function builtConsoleDirectory(): string {
  const packed = join(packageDirectory(), 'console');
  return existsSync(packed) ? packed : join(packageDirectory(), '..', 'out', 'renderer');
}

/** Root of the checkout. For tests and generators of docs: an installed package has none. */
export function projectDirectory(): string {
  return dirname(nearestUp('ARCHITECTURE.md'));
}
