// The registry of A2A as the page shows it: local agents by their cards, and remote ones with the state of theirs. Values come from other
// servers: what has a wrong type is left out. Pure.
import { filledText, isObject, objectsIn } from '@svc/shared/json';
import type { Tone } from '../../../ui/status/tone.ts';
import { decodeSegment } from '../../../navigation/addresses.ts';

type Card = Readonly<Record<string, unknown>>;

export interface Signature {
  readonly algorithm: string;
  readonly keyId: string | undefined;
}

export interface LocalAgent {
  readonly namespace: string;
  /** Name of the AgentSystem. */
  readonly system: string;
  readonly card: Card;
}

export interface RemoteAgent {
  /** Tool that names it. */
  readonly namespace: string;
  readonly name: string;
  readonly url: string;
  readonly protocolVersion: string | undefined;
  readonly cacheStatus: string | undefined;
  readonly lastRefreshed: string | undefined;
  readonly error: string | undefined;
  readonly card: Card | undefined;
}

export interface AgentRegistry {
  readonly local: readonly LocalAgent[];
  readonly remote: readonly RemoteAgent[];
}

const SYSTEM_PATH = /\/v1\/agent-systems\/([^/]+)\/a2a$/;

function localAgent(card: Card): LocalAgent | undefined {
  const [first] = objectsIn(card.supportedInterfaces);
  const address = filledText(card.url) ?? filledText(first?.url);
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { pathname, searchParams } = new URL(address);
  const system = SYSTEM_PATH.exec(pathname)?.[1] ?? filledText(card.name);
  if (system === undefined) return undefined;
  return { namespace: searchParams.get('namespace') ?? 'default', system: decodeSegment(system), card };
}

function remoteAgent(entry: Card): RemoteAgent | undefined {
  const name = filledText(entry.name);
  const url = filledText(entry.url);
  if (name === undefined || url === undefined) return undefined;
  const { namespace, protocolVersion, cacheStatus, lastRefreshed, error, card } = entry;
  return {
    name,
    url,
    namespace: filledText(namespace) ?? 'default',
    protocolVersion: filledText(protocolVersion),
    cacheStatus: filledText(cacheStatus),
    lastRefreshed: filledText(lastRefreshed),
    error: filledText(error),
    card: isObject(card) ? card : undefined,
  };
}

export function readRegistry(body: unknown): AgentRegistry {
  const { localAgents, remoteAgents } = isObject(body) ? body : {};
  return {
    local: objectsIn(localAgents).flatMap((card) => localAgent(card) ?? []),
    remote: objectsIn(remoteAgents).flatMap((entry) => remoteAgent(entry) ?? []),
  };
}

/** Signatures of a card by their protected headers; unreadable ones have the algorithm `unreadable`. */
export function signaturesOf(card: Card): Signature[] {
  return objectsIn(card.signatures).map((each) => {
    const header = headerOf(each.protected);
    return { algorithm: filledText(header?.alg) ?? 'unreadable', keyId: filledText(header?.kid) };
  });
}

function headerOf(value: unknown): Card | undefined {
  try {
    const header: unknown = JSON.parse(atob(String(value).replaceAll('-', '+').replaceAll('_', '/')));
    return isObject(header) ? header : undefined;
  } catch {
    return undefined;
  }
}

export interface Skill {
  readonly name: string;
  readonly description: string | undefined;
}

export function skillsOf(card: Card): Skill[] {
  return objectsIn(card.skills).flatMap(({ name, id, description }) => {
    const shown = filledText(name) ?? filledText(id);
    return shown === undefined ? [] : [{ name: shown, description: filledText(description) }];
  });
}

/** Whether callers need a token: the hybrid card names it in `authentication`, a strict one in `security`. */
export function needsToken(card: Card): boolean {
  const { schemes } = isObject(card.authentication) ? card.authentication : {};
  const listed = [schemes, card.security, card.securityRequirements, card.securitySchemes];
  return listed.some((value) => (Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0));
}

const STATES: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  empty: { label: 'Not read yet', tone: 'neutral' },
  fresh: { label: 'Fresh', tone: 'ok' },
  cached: { label: 'Cached', tone: 'ok' },
  stale: { label: 'Stale', tone: 'warn' },
  expired: { label: 'Expired', tone: 'warn' },
};

export function cardState({ cacheStatus = 'empty', error }: RemoteAgent): { readonly label: string; readonly tone: Tone } {
  if (error !== undefined) return { label: 'Failed', tone: 'danger' };
  return (
    (Object.hasOwn(STATES, cacheStatus) ? STATES[cacheStatus] : undefined) ?? { label: cacheStatus.replaceAll('_', ' '), tone: 'neutral' }
  );
}
