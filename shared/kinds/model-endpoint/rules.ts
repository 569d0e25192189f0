// Rules of ModelEndpoint. Source: SPEC "ModelEndpoint", DECISIONS section 1 (aliases, default addresses) and section 9.
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { objectRef, oneOf } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { type ModelEndpointSpec, PROVIDERS } from './schema.ts';

const PROVIDER_DEFAULT = 'gateway-a';

/** Vendors' names, accepted on write. */
const ALIASES: Readonly<Record<string, string>> = {
  openai: 'gateway-a',
  anthropic: 'gateway-b',
  'azure-openai': 'gateway-c',
  ollama: 'local-runtime',
  'openai-compatible': 'gateway-a-compatible',
};

const BASE_URLS: ReadonlyMap<string, string> = new Map([
  ['gateway-a', 'https://api.openai.com/v1'],
  ['gateway-b', 'https://api.anthropic.com'],
  ['local-runtime', 'http://127.0.0.1:11434'],
]);

const NEEDS_SECRET: ReadonlySet<string> = new Set(['gateway-a', 'gateway-b', 'gateway-c']);
/** gateway-a-compatible has no standard address either, but no rule refuses it at write time: a call without an address fails naming the field. */
const NEEDS_BASE_URL: ReadonlySet<string> = new Set(['gateway-c']);

export function normalizeModelEndpoint(spec: ModelEndpointSpec): ModelEndpointSpec {
  const named = keyword(spec.provider) ?? PROVIDER_DEFAULT;
  const provider = Object.hasOwn(ALIASES, named) ? (ALIASES[named] ?? named) : named;
  return defined({
    ...spec,
    provider,
    base_url: trimmed(spec.base_url)?.replace(/\/+$/, '') ?? BASE_URLS.get(provider),
    default_model: trimmed(spec.default_model),
    options:
      spec.options && Object.fromEntries(Object.entries(spec.options).map(([key, value]) => [key.trim().toLowerCase(), value.trim()])),
    auth: spec.auth && defined({ ...spec.auth, secretRef: trimmed(spec.auth.secretRef) }),
    allowPrivate: spec.allowPrivate ?? provider === 'local-runtime',
  });
}

export function validateModelEndpoint(spec: ModelEndpointSpec): FieldError[] {
  const provider = spec.provider ?? PROVIDER_DEFAULT;
  return [
    ...oneOf('spec.provider', provider, PROVIDERS),
    ...baseUrlErrors(provider, spec.base_url),
    ...(Object.hasOwn(spec.options ?? {}, '') ? [{ path: 'spec.options', message: 'must not have a blank key' }] : []),
    ...(NEEDS_SECRET.has(provider) && spec.auth?.secretRef === undefined
      ? [{ path: 'spec.auth.secretRef', message: `is required when provider is ${provider}` }]
      : []),
    ...objectRef('spec.auth.secretRef', spec.auth?.secretRef),
  ];
}

function baseUrlErrors(provider: string, baseUrl: string | undefined): FieldError[] {
  const path = 'spec.base_url';
  if (baseUrl === undefined) return NEEDS_BASE_URL.has(provider) ? [{ path, message: `is required when provider is ${provider}` }] : [];
  if (!URL.canParse(baseUrl) || !/^https?:\/\//i.test(baseUrl))
    return [{ path, message: `must be an http or https URL, not "${baseUrl}"` }];
  const { username, password } = new URL(baseUrl);
  return username || password ? [{ path, message: 'must not hold credentials; put them into the Secret of auth.secretRef' }] : [];
}

export function modelEndpointReferences(spec: ModelEndpointSpec, context: RuleContext): Reference[] {
  return refTo({ kind: 'Secret', path: 'spec.auth.secretRef' }, spec.auth?.secretRef, context);
}
