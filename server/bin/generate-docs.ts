// Writes docs/reference from the definitions; with --check it only says which pages are stale and ends with 1 when some are.
import { join } from 'node:path';
import { stalePages, writePages } from '../docs/page-files.ts';
import { referencePages } from '../docs/reference.ts';
import { projectDirectory } from '../installation.ts';

const [flag, ...excess] = process.argv.slice(2);
const directory = join(projectDirectory(), 'docs', 'reference');

if ((flag !== undefined && flag !== '--check') || excess.length > 0) {
  process.stderr.write('usage: generate-docs [--check]\n');
  process.exitCode = 2;
} else if (flag === '--check') {
  const stale = await stalePages(directory, await referencePages());
  if (stale.length > 0) {
    process.stderr.write(`Stale pages in docs/reference; run "npm run docs":\n${stale.map((name) => `  ${name}\n`).join('')}`);
    process.exitCode = 1;
  }
} else {
  const changed = await writePages(directory, await referencePages());
  process.stdout.write(
    changed.length === 0 ? 'docs/reference is up to date\n' : changed.map((name) => `wrote docs/reference/${name}\n`).join(''),
  );
}
