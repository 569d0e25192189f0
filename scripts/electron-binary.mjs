// Finds the Electron binary by its files. The package itself is never loaded: without a binary it would download one.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `SVC_ELECTRON_PATH`, or the binary in node_modules; undefined when there is none. */
export function electronBinary() {
  const named = process.env.SVC_ELECTRON_PATH;
  if (named) return existsSync(named) ? named : undefined;
  const folder = join(root, 'node_modules', 'electron');
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const binary = join(folder, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(binary) ? binary : undefined;
}
