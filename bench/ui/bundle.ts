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
  return sum(chunksOf(pattern).filter((file) => !first.has(file)));
}

/** The chunks of these names with all that they import at once. */
function chunksOf(pattern: RegExp): string[] {
  const own = readdirSync(assets).filter((file) => pattern.test(file) && file.endsWith('.js'));
  if (own.length === 0) throw new Error(`no chunk is named ${pattern.source}: its budget would always hold`);
  return [...new Set(own.flatMap((file) => [...withImports(file)]))];
}

export function benchBundle(): Row[] {
  const html = readFileSync(join(dir, 'index.html'), 'utf8');
  const entries = [...html.matchAll(/src="\.?\/assets\/([\w.-]+\.js)"/g)].map(([, name]) => name ?? '');
  if (entries.length === 0) throw new Error('index.html names no script');
  const first = new Set(entries.flatMap((file) => [...withImports(file)]));
  // The dashboard is the first screen, and loads the parts that screens share.
  const screen = new Set([...first, ...chunksOf(/^DashboardPage-/)]);
  const row = (name: string, value: number, limit: number): Row => ({ name, value, unit: 'KB gz', note: `limit ${limit}` });
  return [
    row('initial JavaScript', sum(first), 180),
    { name: 'JavaScript of the dashboard', value: sum(screen), unit: 'KB gz' },
    row('designer chunk', added(/^SystemGraph-/, screen), 110),
    row('editor chunk', added(/^YamlEditor-/, screen), 190),
  ];
}
