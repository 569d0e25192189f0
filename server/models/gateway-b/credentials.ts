// Credential headers of the Messages protocol: API keys use x-api-key, OAuth tokens (sk-ant-oat…) use Authorization.

/** OAuth access tokens begin so; every other token is an API key. */
const OAUTH_PREFIX = 'sk-ant-oat';
/** The feature an OAuth token must ask for. */
const OAUTH_BETA = 'oauth-2025-04-20';

const isOauth = (token: string) => token.startsWith(OAUTH_PREFIX);

export function credentialHeaders(token: string): Readonly<Record<string, string>> {
  return isOauth(token) ? { authorization: `Bearer ${token}` } : { 'x-api-key': token };
}

/** The header that requests beta features: those of the option `beta`, and the one the token needs. */
export function betaHeader(token: string, option: string | undefined): Readonly<Record<string, string>> {
  const wanted = (option ?? '').split(',').map((name) => name.trim());
  const names = new Set([...wanted, ...(isOauth(token) ? [OAUTH_BETA] : [])].filter((name) => name !== ''));
  return names.size === 0 ? {} : { 'anthropic-beta': [...names].join(',') };
}
