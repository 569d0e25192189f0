// Cards of remote agents: discovered, checked against the operator's keys, kept for five minutes and then revalidated by their ETag.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import type { Clock } from '../../clock.ts';
import { orAborted, withDeadline } from '../../egress/deadline.ts';
import type { Egress, EgressResponse } from '../../egress/egress.ts';
import { readText } from '../../egress/response.ts';
import { CallError } from '../../engine/ports.ts';
import { parseJson } from '../../manifest/parse.ts';
import { checkCard, type CardVerdict, type TrustedKeys } from '../cards/card-check.ts';
import type { Dialect } from '../model.ts';
import { addressesOf, isCard, versionSpoken } from './card.ts';
import { CARD_FAILED_MS, CARD_FRESH_MS, CARD_MAX_BYTES, CARDS_MAX, CARDS_MAX_CHARS, DISCOVERY_MAX_MS } from './limits.ts';

interface AgentQuery {
  /** `spec.a2a.agent_url`. */
  readonly url: string;
  /** Sent only where the card is refused without them. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Names the agent in errors. */
  readonly what: string;
}

export interface KnownAgent {
  /** Undefined: the address itself is the endpoint. */
  readonly card?: JsonObject;
  /** Address that the card came from. */
  readonly source?: string;
  readonly signature: 'verified' | 'unsigned' | 'unchecked';
  /** Dialect that the agent answered to, where its card does not say. */
  readonly learned?: Dialect | undefined;
}

/** State of a card for the registry. */
export interface CardState {
  readonly cacheStatus: 'empty' | 'fresh' | 'stale' | 'no_card';
  /** RFC 3339 UTC. */
  readonly lastRefreshed?: string;
  readonly error?: string;
  readonly card?: JsonObject;
  /** Version of the protocol that is spoken with the agent, as its card writes it. */
  readonly protocolVersion?: string;
}

export interface AgentDirectory {
  /** The agent of an address, from the cache or read now. Rejects with CallError. */
  find(query: AgentQuery): Promise<KnownAgent>;
  learn(query: Pick<AgentQuery, 'url' | 'credentials'>, dialect: Dialect): void;
  /** The state of a card that anyone may read. */
  state(url: string): CardState;
  /** Whether a read by `find` would ask the agent. A read that failed a moment ago is not repeated. */
  isDue(url: string): boolean;
}

export interface DirectoryOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly allowPrivate: boolean;
  readonly permittedBy: string;
  /** `--a2a-trusted-card-keys`. */
  readonly trustedKeys: TrustedKeys | undefined;
  /** `--a2a-require-signed-cards`. */
  readonly requireSigned: boolean;
}

interface Entry extends KnownAgent {
  readonly etag?: string;
  readonly readAt: number;
}

interface Failure {
  readonly message: string;
  readonly at: number;
}

export function createAgentDirectory(options: DirectoryOptions): AgentDirectory {
  const { clock } = options;
  const entries = new LRUCache<string, Entry>({
    max: CARDS_MAX,
    maxSize: CARDS_MAX_CHARS,
    sizeCalculation: ({ card }) => 100 + (card === undefined ? 0 : JSON.stringify(card).length),
  });
  const failures = new LRUCache<string, Failure>({ max: CARDS_MAX });
  const pending = new Map<string, Promise<Entry>>();

  const read = (key: string, query: AgentQuery, known: Entry | undefined): Promise<Entry> => {
    const running = pending.get(key);
    if (running) return running;
    // Not tied to one caller's signal: others wait for the same card.
    const what = `discovery of the agent of ${query.what}`;
    const deadline = { clock, timeoutMs: DISCOVERY_MAX_MS, signal: new AbortController().signal, what };
    const work = withDeadline(deadline, (signal) => new Discovery(options, { ...query, signal }).read(known))
      .then((entry) => {
        entries.set(key, entry);
        failures.delete(key);
        return entry;
      })
      .catch((error: unknown) => {
        if (error instanceof CallError) failures.set(key, { message: error.message, at: clock.now() });
        throw error;
      })
      .finally(() => pending.delete(key));
    pending.set(key, work);
    return work;
  };

  const isFresh = (entry: Entry | undefined): boolean => entry !== undefined && clock.now() - entry.readAt < CARD_FRESH_MS;

  return {
    async find(query) {
      const key = keyOf(query);
      const known = entries.get(key);
      return known && isFresh(known) ? known : orAborted(read(key, query, known), query.signal);
    },
    learn(query, dialect) {
      const key = keyOf(query);
      const known = entries.get(key);
      if (known) entries.set(key, { ...known, learned: dialect });
    },
    state(url) {
      const key = keyOf({ url, credentials: {} });
      const entry = entries.get(key);
      const failure = failures.get(key);
      const readAt = Math.max(entry?.readAt ?? 0, failure?.at ?? 0);
      const protocolVersion = entry?.card && versionSpoken(entry.card);
      return {
        ...(protocolVersion !== undefined && { protocolVersion }),
        cacheStatus: statusOf(entry, isFresh(entry)),
        ...(readAt > 0 && { lastRefreshed: new Date(readAt).toISOString() }),
        ...(failure && { error: failure.message }),
        ...(entry?.card && { card: entry.card }),
      };
    },
    isDue(url) {
      const key = keyOf({ url, credentials: {} });
      const failure = failures.get(key);
      return !isFresh(entries.get(key)) && (failure === undefined || clock.now() - failure.at >= CARD_FAILED_MS);
    },
  };
}

/** A card that needed credentials is shown to nobody who has others. */
function keyOf({ url, credentials }: Pick<AgentQuery, 'url' | 'credentials'>): string {
  if (Object.keys(credentials).length === 0) return url;
  return `${url}\n${createHash('sha256').update(JSON.stringify(credentials)).digest('base64')}`;
}

function statusOf(entry: Entry | undefined, isFresh: boolean): CardState['cacheStatus'] {
  if (entry === undefined) return 'empty';
  if (entry.card === undefined) return 'no_card';
  return isFresh ? 'fresh' : 'stale';
}

const LOCATIONS = ['/.well-known/agent-card.json', '/.well-known/agent.json'];

/** Addresses at which a card is requested, in order. Official clients resolve the first location relative to the address that they get. */
function candidatesOf(url: string): string[] {
  const relative = new URL(LOCATIONS[0]?.slice(1) ?? '', url).href;
  return [...new Set([url, relative, ...LOCATIONS.map((path) => new URL(path, url).href)])];
}

type CardRead =
  | { readonly kind: 'card'; readonly card: JsonObject; readonly etag: string | undefined }
  | { readonly kind: 'same' }
  | { readonly kind: 'none'; readonly status: number };

/** One read of the card of an agent. */
class Discovery {
  readonly #options: DirectoryOptions;
  readonly #query: AgentQuery;

  constructor(options: DirectoryOptions, query: AgentQuery) {
    this.#options = options;
    this.#query = query;
  }

  async read(known: Entry | undefined): Promise<Entry> {
    const readAt = this.#options.clock.now();
    if (known?.source !== undefined) {
      const again = await this.#look(known.source, known.etag);
      if (again.kind === 'same') return { ...known, readAt };
      if (again.kind === 'card') return { ...this.#checked(again, known.source), learned: known.learned, readAt };
    }
    const { url } = this.#query;
    let own: CardRead | undefined;
    for (const source of candidatesOf(url)) {
      const looked = await this.#look(source, undefined);
      if (source === url) own = looked;
      if (looked.kind === 'card' && !isOfAnother(looked.card, { url, source, own })) return { ...this.#checked(looked, source), readAt };
    }
    if (this.#options.requireSigned)
      throw this.#refused('card_unsigned', 'has no card, and --a2a-require-signed-cards demands a signed one');
    return { signature: 'unchecked', learned: known?.learned, readAt };
  }

  async #look(source: string, etag: string | undefined): Promise<CardRead> {
    const { credentials, what } = this.#query;
    let response = await this.#get(source, { etag, credentials: {} });
    const isOwn = new URL(source).origin === new URL(this.#query.url).origin;
    if ((response.status === 401 || response.status === 403) && isOwn && Object.keys(credentials).length > 0) {
      response.discard();
      response = await this.#get(source, { etag, credentials });
    }
    const { status, headers } = response;
    const isJson = /\bjson\b/i.test(headers['content-type'] ?? 'json');
    if (status === 304) {
      response.discard();
      return { kind: 'same' };
    }
    if (status !== 200 || !isJson) {
      response.discard();
      return { kind: 'none', status };
    }
    const card = cardIn(await readText(response, { maxBytes: CARD_MAX_BYTES, retryable: false, what: `The card of ${what}` }));
    return card === undefined ? { kind: 'none', status } : { kind: 'card', card, etag: headers['etag'] };
  }

  #get(url: string, { etag, credentials }: { etag: string | undefined; credentials: AgentQuery['credentials'] }): Promise<EgressResponse> {
    const { egress, allowPrivate, permittedBy } = this.#options;
    const headers = { accept: 'application/json', ...(etag !== undefined && { 'if-none-match': etag }) };
    return egress.send({ method: 'GET', url, headers, credentials, signal: this.#query.signal, allowPrivate, permittedBy });
  }

  /** Throws CallError for a card that the operator's settings do not accept. */
  #checked({ card, etag }: Extract<CardRead, { kind: 'card' }>, source: string): Omit<Entry, 'readAt'> {
    const { trustedKeys, requireSigned } = this.#options;
    const read = { card, source, ...(etag !== undefined && { etag }) };
    if (!trustedKeys && !requireSigned) return { ...read, signature: 'unchecked' };
    const verdict: CardVerdict = checkCard(card, trustedKeys ?? { byId: new Map() });
    if (verdict.kind === 'refused') throw this.#refused(verdict.reason, verdict.problem);
    if (verdict.kind === 'unsigned' && requireSigned)
      throw this.#refused('card_unsigned', 'has no signature, and --a2a-require-signed-cards demands one');
    return { ...read, signature: verdict.kind === 'verified' ? 'verified' : 'unsigned' };
  }

  #refused(reason: string, problem: string): CallError {
    return new CallError('egress_blocked', `The card of ${this.#query.what} ${problem}`, { retryable: false, reason });
  }
}

function cardIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isCard(value) ? value : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * An address that takes no GET (405) is an endpoint. A card of its origin that names other addresses belongs to another agent of that server:
 * its calls would reach an agent that the Tool does not name.
 */
function isOfAnother(card: JsonObject, { url, source, own }: { url: string; source: string; own: CardRead | undefined }): boolean {
  if (source === url || own?.kind !== 'none' || own.status !== 405) return false;
  const wanted = new URL(url).href;
  return !addressesOf(card).some((address) => URL.canParse(address) && new URL(address).href === wanted);
}
