// The files of the tree as git sees them (tracked, and untracked but not ignored), for rules about the tree itself.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** Paths relative to the root that match `pattern` and still exist. */
export function files(pattern: RegExp): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const deleted = new Set(execFileSync('git', ['ls-files', '--deleted'], { cwd: root, encoding: 'utf8' }).split('\n'));
  return listed.split('\n').filter((path) => path !== '' && pattern.test(path) && !deleted.has(path));
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
