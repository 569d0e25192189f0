// Variables that configure svcd or the platform below it, and the environment without them: Secret references may read no such variable.
// Names compare without case, as the variables of Windows do.

/** Variables of the programs that no flag of svcd declares, and those that Node.js, libraries and the system read. */
const NAMES = [
  'SVC_API_TOKENS',
  'ALL_PROXY',
  'EDITOR',
  'HOME',
  'HOSTNAME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'LANG',
  'LOGNAME',
  'NO_COLOR',
  'NO_PROXY',
  'PATH',
  'PWD',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  'VISUAL',
];
const FAMILIES = [
  'SVCCTL_',
  'OTEL_',
  'PG',
  'NODE_',
  'NPM_',
  'UV_',
  'LD_',
  'DOCKER_',
  'KUBERNETES_',
  'SSL_',
  'OPENSSL_',
  'XDG_',
  'SYSTEMD_',
];

/** Prefix of the fallback variables. Variables of svcd begin with it as well, so it is safe only over `withoutOwn`. */
export const SECRET_ENV_PREFIX_DEFAULT = 'SVC_SECRET_';

export interface OwnVariables {
  /** The environment that Secret references may read. */
  withoutOwn(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>>;
  /** Why a prefix of fallback variables is refused; undefined for a safe one. */
  prefixProblem(prefix: string): string | undefined;
}

/** `flagVariables` are the variables of all flags of svcd and svcd worker. */
export function ownVariables(flagVariables: readonly string[]): OwnVariables {
  const names = new Set([...flagVariables, ...NAMES]);
  const isOwn = (variable: string) => names.has(variable) || FAMILIES.some((family) => variable.startsWith(family));
  const spelledBy = (prefix: string) =>
    [...names].find((name) => name.startsWith(prefix)) ??
    FAMILIES.find((family) => family.startsWith(prefix) || prefix.startsWith(family))?.concat('…');
  return {
    withoutOwn: (env) =>
      Object.fromEntries(
        Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]) && !isOwn(entry[0].toUpperCase())),
      ),
    prefixProblem(prefix) {
      if (prefix === SECRET_ENV_PREFIX_DEFAULT) return undefined;
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)) return 'must be letters, digits and underscores, such as MYAPP_SECRET_';
      const own = spelledBy(prefix.toUpperCase());
      return (
        own &&
        `must not be "${prefix}", because variables of svcd or its platform begin with it (${own}); choose another, such as MYAPP_SECRET_`
      );
    },
  };
}
