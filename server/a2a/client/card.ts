// Interfaces that an agent card offers, and the choice among them. Cards come from anyone: what has a wrong type is left out. Pure.
import { dialectOf } from '@svc/shared/a2a-version';
import { filledText, isObject, objectsIn, type JsonObject } from '@svc/shared/json';
import type { Dialect } from '../model.ts';

/** Place of an agent's JSON-RPC, with the versions to try there, the best first. */
export interface AgentRoute {
  readonly url: string;
  readonly dialects: readonly Dialect[];
  readonly streaming: boolean;
  /** Value that A2A 1.0 repeats in each request. */
  readonly tenant?: string;
}

interface AgentInterface {
  readonly url: string;
  readonly binding: string;
  readonly dialect: Dialect | undefined;
  /** As the card writes it. */
  readonly version?: string | undefined;
  readonly tenant?: string;
}

const BEST_FIRST: readonly Dialect[] = ['v1', 'v03', 'spec'];
const BINDING = 'JSONRPC';
/** Interfaces of one card that are read. */
const INTERFACES_MAX = 50;

export const isCard = (value: unknown): value is JsonObject =>
  isObject(value) && typeof value['name'] === 'string' && (typeof value['url'] === 'string' || Array.isArray(value['supportedInterfaces']));

const text = (value: unknown): string | undefined => filledText(filledText(value)?.trim());
const objects = (value: unknown): readonly Record<string, unknown>[] => objectsIn(value).slice(0, INTERFACES_MAX);

function interfacesOf(card: JsonObject): AgentInterface[] {
  const listed = objects(card['supportedInterfaces']).flatMap((each): AgentInterface[] => {
    const url = text(each['url']);
    if (url === undefined) return [];
    const tenant = text(each['tenant']);
    const version = text(each['protocolVersion']);
    const dialect = version === undefined ? 'v1' : dialectOf(version);
    return [{ url, binding: text(each['protocolBinding']) ?? BINDING, dialect, version, ...(tenant !== undefined && { tenant }) }];
  });
  const version = text(card['protocolVersion']);
  const dialect = version === undefined ? undefined : dialectOf(version);
  const url = text(card['url']);
  const own = url === undefined ? [] : [{ url, binding: text(card['preferredTransport']) ?? BINDING, dialect, version }];
  const further = objects(card['additionalInterfaces']).flatMap((each): AgentInterface[] => {
    const further = text(each['url']);
    return further === undefined ? [] : [{ url: further, binding: text(each['transport']) ?? BINDING, dialect, version }];
  });
  return [...listed, ...own, ...further];
}

/** Addresses that the card names, as it writes them. */
export const addressesOf = (card: JsonObject): readonly string[] => interfacesOf(card).map(({ url }) => url);

const offersStreaming = (card: JsonObject): boolean => isObject(card['capabilities']) && card['capabilities']['streaming'] === true;

const isSpoken = ({ binding }: AgentInterface): boolean => binding.toUpperCase() === BINDING;

const bestOf = (usable: readonly AgentInterface[], dialects: readonly Dialect[]): AgentInterface | undefined =>
  dialects.flatMap((dialect) => usable.find((each) => each.dialect === dialect) ?? [])[0];

/** Version of the protocol that this service speaks with the agent of a card, as the card writes it. */
export const versionSpoken = (card: JsonObject): string | undefined => bestOf(interfacesOf(card).filter(isSpoken), BEST_FIRST)?.version;

/** The best interface, or why there is none, as the end of a sentence about the agent. `wanted` is the version that a Tool requires. */
export function chooseRoute(card: JsonObject, wanted: Dialect | undefined): AgentRoute | string {
  const all = interfacesOf(card);
  const usable = all.filter(isSpoken);
  if (usable.length === 0) {
    const offered = [...new Set(all.map(({ binding }) => binding.slice(0, 40)))];
    return `offers ${offered.join(', ') || 'no interface'}, and this service speaks only JSON-RPC`;
  }
  const streaming = offersStreaming(card);
  const routeOf = ({ url, tenant }: AgentInterface, dialects: readonly Dialect[]): AgentRoute => ({
    ...{ url, dialects, streaming },
    ...(tenant !== undefined && { tenant }),
  });
  const first = bestOf(usable, wanted === undefined ? BEST_FIRST : [wanted]);
  if (first?.dialect) return routeOf(first, [first.dialect]);
  // Cards before A2A 0.2.6 name no version, and `wanted` may be one that the card does not name.
  const unknown = wanted === undefined ? usable.find((each) => each.dialect === undefined && isUnversioned(card)) : usable[0];
  if (unknown) return routeOf(unknown, wanted === undefined ? ['v03', 'spec'] : [wanted]);
  return `names protocol versions that this service does not speak; it speaks A2A 1.0, 0.3 and its own`;
}

const isUnversioned = (card: JsonObject): boolean => text(card['protocolVersion']) === undefined;

/** The route to an address without a card. */
export const bareRoute = (url: string, wanted: Dialect | undefined): AgentRoute => ({
  url,
  dialects: wanted === undefined ? BEST_FIRST : [wanted],
  streaming: false,
});
