// How much the browser loads: for the first screen, and for the chunks that the budgets name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Row } from '../row.ts';
import { budget } from './probe.ts';

const dir = join(import.meta.dirname, '..', '..', 'out', 'renderer');
const assets = join(dir, 'assets');
const KB = 1024;

const gzipped = (file: string): number => gzipSync(readFileSync(join(assets, file)), { level: 9 }).length;

/** `import"./x.js"`, `from"./x.js"`; dynamic imports are calls. */
const AT_ONCE = /(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g;
/** Also the lists of files that dynamic imports need. */
const AT_ALL = /["']\.\/([\w.-]+\.js)["']/g;

/** The scripts that a script names in this way, itself included. */
function withImports(file: string, way = AT_ONCE): Set<string> {
  const seen = new Set([file]);
  for (const each of seen) for (const [, name] of readFileSync(join(assets, each), 'utf8').matchAll(way)) if (name) seen.add(name);
  return seen;
}

const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + gzipped(file), 0) / KB;

/** The chunks of these names, among those of one build, with all that they import at once. The folder keeps earlier builds for open pages. */
function chunksOf(pattern: RegExp, build: ReadonlySet<string>): string[] {
  const own = [...build].filter((file) => pattern.test(file));
  if (own.length === 0) throw new Error(`no chunk is named ${pattern.source}: its budget would always hold`);
  return [...new Set(own.flatMap((file) => [...withImports(file)]))];
}

export function benchBundle(): Row[] {
  const html = readFileSync(join(dir, 'index.html'), 'utf8');
  const entries = [...html.matchAll(/src="\.?\/assets\/([\w.-]+\.js)"/g)].map(([, name]) => name ?? '');
  if (entries.length === 0) throw new Error('index.html names no script');
  const first = new Set(entries.flatMap((file) => [...withImports(file)]));
  // The dashboard is the first screen, and loads the parts that screens share.
  const build = new Set(entries.flatMap((file) => [...withImports(file, AT_ALL)]));
  const screen = new Set([...first, ...chunksOf(/^DashboardPage-/, build)]);
  /** Size of the chunks of a lazily loaded part that the dashboard has not loaded. */
  const added = (pattern: RegExp) => sum(chunksOf(pattern, build).filter((file) => !screen.has(file)));
  const row = (name: string, value: number, limit: number): Row => budget(name, value, { unit: 'KB gz', limit });
  return [
    row('initial JavaScript', sum(first), 180),
    { name: 'JavaScript of the dashboard', value: sum(screen), unit: 'KB gz' },
    row('list of a kind', added(/^KindListPage-/), 60),
    row('designer chunk', added(/^SystemGraph-/), 110),
    row('editor chunk', added(/^editor-codemirror-yaml-/), 190),
  ];
}
