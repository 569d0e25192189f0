// Rules of ModelEndpoint at write time: provider aliases, default addresses and required fields.
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { httpUrl, objectRef, oneOfNamed } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { PRICE_OPTIONS, PRICE_RULE, parsePrice } from './prices.ts';
import { neutralName, PROVIDER_DEFAULT, PROVIDER_NAMES, providerFacts } from './providers.ts';
import type { WrittenModelEndpointSpec } from './schema.ts';

export function normalizeModelEndpoint(spec: WrittenModelEndpointSpec) {
  const provider = neutralName(keyword(spec.provider) ?? PROVIDER_DEFAULT);
  const facts = providerFacts(provider);
  return defined({
    ...spec,
    provider,
    // A value of slashes alone is kept, so that the check refuses it as a URL.
    base_url: trimmed(spec.base_url)?.replace(/(?<=[^/\s])[/\s]+$/, '') ?? facts?.baseUrl,
    default_model: trimmed(spec.default_model),
    options:
      spec.options && Object.fromEntries(Object.entries(spec.options).map(([key, value]) => [key.trim().toLowerCase(), value.trim()])),
    auth: spec.auth && defined({ ...spec.auth, secretRef: trimmed(spec.auth.secretRef) }),
    allowPrivate: spec.allowPrivate ?? facts?.allowPrivate ?? false,
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type ModelEndpointSpec = ReturnType<typeof normalizeModelEndpoint>;

export function validateModelEndpoint(spec: ModelEndpointSpec): FieldError[] {
  const provider = spec.provider ?? PROVIDER_DEFAULT;
  return [
    ...oneOfNamed('spec.provider', provider, PROVIDER_NAMES),
    ...baseUrlErrors(provider, spec.base_url),
    ...(Object.hasOwn(spec.options ?? {}, '') ? [{ path: 'spec.options', message: 'must not have a blank key' }] : []),
    ...priceErrors(spec.options ?? {}),
    ...headerErrors(spec.options ?? {}),
    ...(providerFacts(provider)?.needsSecret && spec.auth?.secretRef === undefined
      ? [{ path: 'spec.auth.secretRef', message: `is required when provider is ${provider}` }]
      : []),
    ...objectRef('spec.auth.secretRef', spec.auth?.secretRef),
  ];
}

function baseUrlErrors(provider: string, baseUrl: string | undefined): FieldError[] {
  const path = 'spec.base_url';
  if (baseUrl === undefined)
    return providerFacts(provider)?.needsBaseUrl ? [{ path, message: `is required when provider is ${provider}` }] : [];
  return httpUrl(path, baseUrl);
}

/** Other options are read by the adapters; a wrong price would go unnoticed until somebody adds up a bill. An empty value is as good as none. */
function priceErrors(options: Readonly<Record<string, string>>): FieldError[] {
  return PRICE_OPTIONS.filter((key) => options[key] && parsePrice(options[key]) === undefined).map((key) => ({
    path: `spec.options.${key}`,
    message: `${PRICE_RULE}, not "${options[key]}"`,
  }));
}

/** Options that adapters send as headers. */
const HEADER_OPTIONS = ['organization', 'project', 'version', 'beta'] as const;

function headerErrors(options: Readonly<Record<string, string>>): FieldError[] {
  return HEADER_OPTIONS.filter((key) => /[^ -~]/.test(options[key] ?? '')).map((key) => ({
    path: `spec.options.${key}`,
    message: 'is sent as a header, so it must hold printable ASCII characters only',
  }));
}

export function modelEndpointReferences(spec: ModelEndpointSpec, context: RuleContext): Reference[] {
  return refTo({ kind: 'Secret', path: 'spec.auth.secretRef' }, spec.auth?.secretRef, context);
}
