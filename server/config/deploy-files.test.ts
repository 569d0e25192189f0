// The files of resources/deploy against the settings of svcd: a variable that svcd does not read would be ignored without a word.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeFlags } from '../config.ts';

const folder = join(import.meta.dirname, '../../resources/deploy');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
/** SVC_API_TOKENS has no flag; SVC_API_KEY is the flag --api-key under its own name. */
const variables = new Set([
  'SVC_API_TOKENS',
  'SVC_API_KEY',
  ...[...describeFlags().server, ...describeFlags().worker].map(({ variable }) => variable),
]);

test.each(files)('%s names variables that svcd reads', (file) => {
  const named = readFileSync(join(folder, file), 'utf8').match(/\bSVC_[A-Z_]+[A-Z]\b/g) ?? [];
  expect(named.filter((name) => !variables.has(name))).toEqual([]);
});

test('there are files, and they name the variables that every server needs', () => {
  const all = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  for (const name of ['SVC_API_TOKENS', 'SVC_SECRET_ENCRYPTION_KEY', 'SVC_DATABASE_URL']) expect(all).toContain(name);
});

test('the build of the image does not read the settings of the compose file', () => {
  const ignored = readFileSync(join(folder, '../../.dockerignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['**/.env', '**/.env.*']));
});
