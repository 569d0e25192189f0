// The providers a ModelEndpoint may name, and what the rules must know of each. Adding one begins with an entry here; its adapter is in server/models.

interface ProviderFacts {
  /** Vendors' names, accepted on write and stored as the neutral name. */
  readonly aliases: readonly string[];
  /** The standard address, where there is one. */
  readonly baseUrl?: string;
  readonly needsSecret: boolean;
  /** Refused at write without `base_url`. */
  readonly needsBaseUrl: boolean;
  /** Default of `allowPrivate`. */
  readonly allowPrivate: boolean;
}

const REMOTE = { needsSecret: true, needsBaseUrl: false, allowPrivate: false };

const FACTS = {
  'gateway-a': { ...REMOTE, aliases: ['openai'], baseUrl: 'https://api.openai.com/v1' },
  'gateway-b': { ...REMOTE, aliases: ['anthropic'], baseUrl: 'https://api.anthropic.com' },
  'gateway-c': { ...REMOTE, aliases: ['azure-openai'], needsBaseUrl: true },
  'local-runtime': { aliases: ['ollama'], baseUrl: 'http://127.0.0.1:11434', needsSecret: false, needsBaseUrl: false, allowPrivate: true },
  mock: { aliases: [], needsSecret: false, needsBaseUrl: false, allowPrivate: false },
  // It has no standard address either, but a write without one is accepted: the call then fails and names the field.
  'gateway-a-compatible': { aliases: ['openai-compatible'], needsSecret: false, needsBaseUrl: false, allowPrivate: false },
} as const satisfies Readonly<Record<string, ProviderFacts>>;

export const PROVIDERS: readonly string[] = Object.keys(FACTS);
/** Each provider with its other names. */
export const PROVIDER_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FACTS).map(([name, { aliases }]) => [name, aliases]),
);
export const PROVIDER_DEFAULT = 'gateway-a';

const BY_NAME: ReadonlyMap<string, ProviderFacts> = new Map(Object.entries(FACTS));
const BY_ALIAS: ReadonlyMap<string, string> = new Map(
  Object.entries(FACTS).flatMap(([name, { aliases }]) => aliases.map((alias): [string, string] => [alias, name])),
);

/** Undefined for a name that is not a provider. */
export function providerFacts(name: string): ProviderFacts | undefined {
  return BY_NAME.get(name);
}

/** The neutral name of a vendor's; any other name as it is. */
export function neutralName(name: string): string {
  return BY_ALIAS.get(name) ?? name;
}
