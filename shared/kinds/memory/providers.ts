// The providers of Memories that come with the server, and what the rules and every surface must know of each. Programs that embed the server may
// register others. Pure.

interface ProviderFacts {
  /** Refused at write without `endpoint`. */
  readonly needsEndpoint: boolean;
  /** Whether the endpoint is the URL of a service over HTTP. */
  readonly isHttp: boolean;
  /** Refused at write without `embedding_model`. */
  readonly needsModel: boolean;
  /** Whether it searches in our way: by vectors, or by words where the Memory has no embedding model. */
  readonly searchesOurWay: boolean;
}

const LOCAL: ProviderFacts = { needsEndpoint: false, isHttp: false, needsModel: false, searchesOurWay: true };

const FACTS: ReadonlyMap<string, ProviderFacts> = new Map([
  ['in-memory', LOCAL],
  ['embedded', LOCAL],
  ['pgvector', { ...LOCAL, needsEndpoint: true, needsModel: true }],
  ['http', { ...LOCAL, needsEndpoint: true, isHttp: true, searchesOurWay: false }],
]);

/** Others state their own needs where they are registered. */
const REGISTERED: ProviderFacts = { ...LOCAL, searchesOurWay: false };

export const MEMORY_PROVIDER_DEFAULT = 'in-memory';

export const memoryProviderFacts = (name: string | undefined): ProviderFacts => FACTS.get(name ?? MEMORY_PROVIDER_DEFAULT) ?? REGISTERED;
