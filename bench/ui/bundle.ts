// How much the browser loads: for the first screen, and for the chunks that the budgets name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Row } from '../row.ts';

const dir = join(import.meta.dirname, '..', '..', 'out', 'renderer');
const assets = join(dir, 'assets');
const KB = 1024;

const gzipped = (file: string): number => gzipSync(readFileSync(join(assets, file)), { level: 9 }).length;

/** The scripts that a script imports at once, itself included. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(assets, file), 'utf8');
  // Static imports only: `import"./x.js"`, `from"./x.js"`; dynamic ones are calls.
  for (const [, name] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) if (name) withImports(name, seen);
  return seen;
}

const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + gzipped(file), 0) / KB;

/** Bytes that a lazily loaded module adds to those of the first screen. */
function added(pattern: RegExp, first: ReadonlySet<string>): number {
  const own = readdirSync(assets).filter((file) => pattern.test(file) && file.endsWith('.js'));
  const all = new Set(own.flatMap((file) => [...withImports(file)]));
  return sum([...all].filter((file) => !first.has(file)));
}

export function benchBundle(): Row[] {
  const html = readFileSync(join(dir, 'index.html'), 'utf8');
  const entries = [...html.matchAll(/src="\/assets\/([\w.-]+\.js)"/g)].map(([, name]) => name ?? '');
  const first = new Set(entries.flatMap((file) => [...withImports(file)]));
  const row = (name: string, value: number, limit: number): Row => ({ name, value, unit: 'KB gz', note: `limit ${limit}` });
  return [
    row('initial JavaScript', sum(first), 180),
    row('designer chunk', added(/^SystemGraph-/, first), 110),
    row('editor chunk', added(/^YamlEditor-/, first), 190),
  ];
}
