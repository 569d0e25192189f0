// Command line of the app. Unknown arguments are left alone: Chromium and Electron have their own.
import { fileURLToPath } from 'node:url';
import { parseDeepLink } from './deeplink.ts';
import type { DeepLink } from '@svc/shared/desktop-api';

export interface CommandLine {
  /** Start with the window hidden, as at login. */
  readonly hidden: boolean;
  readonly safeMode: boolean;
  readonly userDataDir: string | undefined;
  readonly profile: string | undefined;
  /** The first one: Windows and Linux pass links so. */
  readonly link: DeepLink | undefined;
  /** Files that the system opens with the app. */
  readonly files: readonly string[];
}

const FILE = /\.svcbundle$/i;

function valueOf(argv: readonly string[], flag: string): string | undefined {
  const at = argv.findIndex((argument) => argument === flag || argument.startsWith(`${flag}=`));
  const given = argv[at];
  if (given === undefined) return undefined;
  const value = given === flag ? argv[at + 1] : given.slice(flag.length + 1);
  return value === undefined || value === '' || value.startsWith('--') ? undefined : value;
}

/** File managers of Linux pass addresses. Undefined for one that is not of this machine. */
function pathOf(argument: string): string | undefined {
  if (!argument.startsWith('file:')) return argument;
  try {
    return fileURLToPath(argument);
  } catch {
    return undefined;
  }
}

export function parseCommandLine(argv: readonly string[]): CommandLine {
  const profile = valueOf(argv, '--profile');
  return {
    hidden: argv.includes('--hidden'),
    safeMode: argv.includes('--safe-mode'),
    userDataDir: valueOf(argv, '--user-data-dir'),
    profile: profile !== undefined && /^[a-z0-9][a-z0-9-]{0,62}$/.test(profile) ? profile : undefined,
    link: argv.flatMap((argument) => parseDeepLink(argument) ?? []).at(0),
    files: argv.flatMap((argument) => (argument.startsWith('-') ? [] : (pathOf(argument) ?? []))).filter((path) => FILE.test(path)),
  };
}
