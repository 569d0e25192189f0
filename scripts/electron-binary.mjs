// Finds the Electron binary by its files, and knows how long its version is supported. The package itself is never loaded: without a binary it would download one.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * First release of each major version in use, as the registry has it: electron/packaging.system.test.ts requires the one of package.json.
 * @type {Readonly<Record<number, string>>}
 */
const RELEASED = { 45: '2026-10-21' };
/** Electron supports the newest three major versions, and a new one comes every eight weeks. */
const SUPPORTED_DAYS = 3 * 8 * 7;

/**
 * Day on which the support of a major version ends, by the usual dates; undefined for an unknown one.
 * @param {number} major
 */
export function supportEnds(major) {
  const released = RELEASED[major];
  return released && new Date(Date.parse(released) + SUPPORTED_DAYS * 86_400_000).toISOString().slice(0, 10);
}

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
