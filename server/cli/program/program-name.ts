// The command that starts svcctl, as hints print it.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAME = 'svcctl';

/** A command as a hint prints it: a function where it names svcctl itself. */
export type Hint = string | ((svcctl: string) => string);

export const hintText = (hint: Hint, svcctl: string): string => (typeof hint === 'string' ? hint : hint(svcctl));

function isOnPath(path: string): boolean {
  return path.split(delimiter).some((directory) => {
    try {
      accessSync(join(directory || '.', NAME), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** `svcctl` where the shell finds it. npm and npx put their own directory on the PATH of what they start, which the shell does not have. */
export function programName(env: Readonly<Record<string, string | undefined>>): string {
  const byNpm = env['npm_execpath'] !== undefined || env['npm_command'] !== undefined;
  return !byNpm && isOnPath(env['PATH'] ?? '') ? NAME : `npx ${NAME}`;
}
