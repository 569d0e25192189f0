// Copies of the data directory beside it, made while no server has it open. The newest ones are kept.
import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const KEPT = 5;
/** Files of one running server. */
const LEFT_OUT = new Set(['runtime.json', 'svc.db.lock']);

/** Returns the path of the copy; undefined when there is nothing to copy. */
export async function backUpData(dataDir: string, backups: string, label: string): Promise<string | undefined> {
  const exists = await stat(dataDir).catch(() => undefined);
  if (!exists) return undefined;
  const target = join(backups, label);
  await mkdir(backups, { recursive: true, mode: 0o700 });
  await cp(dataDir, target, {
    recursive: true,
    errorOnExist: true,
    force: false,
    filter: (path) => !LEFT_OUT.has(path.split(/[\\/]/).at(-1) ?? ''),
  });
  const names = (await readdir(backups)).sort();
  for (const name of names.slice(0, -KEPT)) await rm(join(backups, name), { recursive: true, force: true });
  return target;
}
