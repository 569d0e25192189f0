// Reads an image pull Secret, in either of its forms, into logins by registry. Pure.
import { DEFAULT_REGISTRY, parseImageReference } from '@svc/shared/images/image-reference';
import { isObject, readJson } from '@svc/shared/json';
import type { RegistryLogin, RegistryLogins } from './isolation.ts';

const CONFIG_KEY = '.registryconfigjson';
const DEFAULT_ALIASES: ReadonlySet<string> = new Set(['index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']);

export type LoginsRead = { readonly logins: RegistryLogins } | { readonly problem: string };

/** `problem` follows the Secret's name in a sentence and holds no values. */
export function registryLogins(entries: Readonly<Record<string, string>>): LoginsRead {
  const config = entries[CONFIG_KEY];
  if (config !== undefined) return fromConfig(config);
  const [registry, username, password] = [entries['registry'], entries['username'], entries['password']].map((value) => value?.trim());
  if (registry && username && password) return { logins: { [registryHost(registry)]: { username, password } } };
  const has = Object.keys(entries).sort().join(', ') || 'no keys';
  return { problem: `must have the key ${CONFIG_KEY}, or the keys registry, username and password; it has ${has}` };
}

/** The login of the image's own registry: an engine gets no credentials of other registries. Empty without one. */
export function loginFor(image: string, logins: RegistryLogins): RegistryLogins {
  const registry = parseImageReference(image)?.registry ?? '';
  const login = Object.hasOwn(logins, registry) ? logins[registry] : undefined;
  return login ? { [registry]: login } : {};
}

function fromConfig(config: string): LoginsRead {
  const parsed = readJson(config);
  const auths = isObject(parsed) && isObject(parsed['auths']) ? parsed['auths'] : undefined;
  if (!auths) return { problem: `must hold a registry config with "auths" as JSON under ${CONFIG_KEY}` };
  const logins: Record<string, RegistryLogin> = {};
  for (const [registry, entry] of Object.entries(auths)) {
    const login = isObject(entry) ? loginOf(entry) : undefined;
    if (!login) return { problem: `holds no username and password, nor auth, for the registry "${registry}"` };
    logins[registryHost(registry)] = login;
  }
  return { logins };
}

function loginOf(entry: Record<string, unknown>): RegistryLogin | undefined {
  const { username, password, auth, identitytoken } = entry;
  const token = typeof identitytoken === 'string' && identitytoken !== '' ? { identityToken: identitytoken } : {};
  if (typeof username === 'string' && typeof password === 'string') return { username, password, ...token };
  const decoded = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8') : '';
  const colon = decoded.indexOf(':');
  if (colon > 0) return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1), ...token };
  return 'identityToken' in token ? { username: '', password: '', ...token } : undefined;
}

/** `https://index.docker.io/v1/` and `docker.io` are the same registry. */
function registryHost(registry: string): string {
  const host = registry
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/.*$/, '')
    .toLowerCase();
  return DEFAULT_ALIASES.has(host) ? DEFAULT_REGISTRY : host;
}
