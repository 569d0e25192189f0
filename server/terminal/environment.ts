// Environment of a shell: a few variables of the server's own, and those that point svcctl at this server. Pure.

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that a shell needs to work for its user. All others stay with the server: its keys and tokens are variables too. */
const PASSED_ON = new Set('HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP SystemRoot USERPROFILE APPDATA'.split(' '));
const PASSED_ON_PREFIX = 'LC_';

export interface ShellTarget {
  readonly serverUrl: string;
  readonly namespace: string;
  /** Absent while authentication is off. */
  readonly token: string | undefined;
  /** Directory of the svcctl program. */
  readonly commands: string;
  readonly pathSeparator: string;
}

const PATH_DEFAULT = '/usr/local/bin:/usr/bin:/bin';
/** For servers without a locale, as services have none: in the POSIX locale a shell takes bytes of other scripts for its own keys. */
const LANG_DEFAULT = 'C.UTF-8';
const LOCALES = ['LANG', 'LC_ALL', 'LC_CTYPE'];

export function shellEnvironment(own: Environment, target: ShellTarget): Record<string, string> {
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] => Boolean(entry[1]) && (PASSED_ON.has(entry[0]) || entry[0].startsWith(PASSED_ON_PREFIX)),
  );
  return {
    ...(LOCALES.every((name) => !own[name]) && { LANG: LANG_DEFAULT }),
    ...Object.fromEntries(kept),
    PATH: `${target.commands}${target.pathSeparator}${own['PATH'] || PATH_DEFAULT}`,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    SVC_SERVER: target.serverUrl,
    SVCCTL_SERVER: target.serverUrl,
    SVC_NAMESPACE: target.namespace,
    SVCCTL_NAMESPACE: target.namespace,
    ...(target.token !== undefined && { SVCCTL_API_TOKEN: target.token }),
  };
}

/** The user's shell, or the platform's. */
export function shellProgram(own: Environment, platform: NodeJS.Platform): string {
  if (platform === 'win32') return 'powershell.exe';
  const shell = own['SHELL'];
  return shell?.startsWith('/') === true ? shell : '/bin/sh';
}
