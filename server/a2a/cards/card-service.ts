// Agent cards of the systems that are open to A2A, and the registry of agents.
import type { JsonObject } from '@svc/shared/json';
import { specOf } from '@svc/shared/kinds/read';
import type { KindName } from '@svc/shared/kinds';
import { parseRef } from '@svc/shared/resource';
import { listsSystem } from '../../registry/authorise.ts';
import type { Identity } from '../../registry/registry.ts';
import { endsWithin, type Clock } from '../../clock.ts';
import type { AgentDirectory, CardState } from '../client/directory.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { findOnlySystem, findOpenSystem, isPublic, openPage, START, type OpenCursor } from '../systems.ts';
import { agentCard, type CardForm, type CardSettings } from './card.ts';
import type { CardSigner } from './card-signer.ts';

/** A remote agent that a Tool of type a2a names, as the registry lists it. */
interface RemoteAgent extends JsonObject {
  readonly name: string;
  readonly namespace: string;
  readonly url: string;
  readonly protocolVersion?: string;
  readonly cacheStatus: CardState['cacheStatus'];
}

/** A card with the system that it is of. */
interface LocalAgent {
  readonly namespace: string;
  readonly name: string;
  readonly card: JsonObject;
}

/** Agents, and the way to further ones; undefined at the end. */
export interface AgentPage<Agent> {
  readonly items: readonly Agent[];
  readonly next: (() => Promise<AgentPage<Agent>>) | undefined;
}

export interface AgentCards {
  /** The card of a system; undefined when it does not exist or is not open. */
  of(ref: { readonly namespace: string; readonly name: string }, form: CardForm): Promise<JsonObject | undefined>;
  /** The card of the one open system, or why there is no such card, in one sentence. */
  root(form: CardForm): Promise<JsonObject | string>;
  /** Cards of the systems that the caller may invoke or read: without a caller those of public systems. */
  local(identity: Identity | undefined): Promise<AgentPage<LocalAgent>>;
  /** Remote agents that Tools name. */
  remote(): Promise<AgentPage<RemoteAgent>>;
  /** Public keys of the signatures; undefined while cards are not signed. */
  readonly keys: JsonObject | undefined;
}

export interface AgentCardDeps {
  readonly store: Pick<Store, 'getObject' | 'listObjects'>;
  /** Read at each use: the address is known only once the server listens. */
  readonly settings: () => CardSettings;
  readonly signer: CardSigner | undefined;
  readonly clock: Clock;
  /** Cards of remote agents. */
  readonly directory: Pick<AgentDirectory, 'find' | 'state' | 'isDue'>;
}

/** A card lists at most this many tools. */
const TOOLS_MAX = 500;
const PAGE = 200;
/** Systems whose cards are made at once. */
const CARDS_AT_ONCE = 20;

export function createAgentCards({ store, settings, signer, clock, directory }: AgentCardDeps): AgentCards {
  const cardOf = async (system: StoredObject, form: CardForm): Promise<JsonObject> => {
    const agents = await objectsOf(store, { kind: 'Agent', refs: specOf('AgentSystem', system).agents ?? [], from: system });
    const tools = new Map<string, StoredObject>();
    for (const agent of agents) {
      if (tools.size >= TOOLS_MAX) break;
      for (const tool of await objectsOf(store, { kind: 'Tool', refs: specOf('Agent', agent).tools ?? [], from: agent }))
        tools.set(tool.uid, tool);
    }
    const card = agentCard(form, { system, agents, tools: [...tools.values()].slice(0, TOOLS_MAX) }, settings());
    return signer ? signer.sign(card) : card;
  };
  const localPage = async (identity: Identity | undefined, cursor: OpenCursor): Promise<AgentPage<LocalAgent>> => {
    const { systems, next } = await openPage(store, cursor, CARDS_AT_ONCE);
    const items: LocalAgent[] = [];
    for (const system of systems.filter((each) => isListed(identity, each)))
      items.push({ namespace: system.namespace, name: system.name, card: await cardOf(system, 'hybrid') });
    return { items, next: next && (() => localPage(identity, next)) };
  };
  const remotePage = (named: readonly NamedAgent[], from: number): AgentPage<RemoteAgent> => {
    const end = from + PAGE;
    // The version that a Tool requires wins over that of the card.
    const items = named.slice(from, end).map((agent) => ({ ...directory.state(agent.url), ...agent }));
    return { items, next: end < named.length ? () => Promise.resolve(remotePage(named, end)) : undefined };
  };
  return {
    keys: signer?.keys,
    async of(ref, form) {
      const system = await findOpenSystem(store, ref);
      return system && cardOf(system, form);
    },
    async root(form) {
      const only = await findOnlySystem(store);
      return typeof only === 'string' ? only : cardOf(only, form);
    },
    local: (identity) => localPage(identity, START),
    async remote() {
      const named = await namedAgents(store);
      await readDue({ clock, directory }, new Set(named.map(({ url }) => url)));
      return remotePage(named, 0);
    },
  };
}

/** Those that a reader sees, and for a token of role a2a those that it may invoke. */
function isListed(identity: Identity | undefined, system: StoredObject): boolean {
  return identity === undefined ? isPublic(system) : listsSystem(identity, system);
}

type NamedAgent = Pick<RemoteAgent, 'name' | 'namespace' | 'url' | 'protocolVersion'>;

async function namedAgents(store: Pick<Store, 'listObjects'>): Promise<NamedAgent[]> {
  const agents: NamedAgent[] = [];
  let after: { namespace: string; name: string } | undefined;
  for (;;) {
    const page = await store.listObjects({ kind: 'Tool', limit: PAGE, ...(after && { after }) });
    agents.push(...page.flatMap(namedAgent));
    const last = page.at(-1);
    if (!last || page.length < PAGE) return agents;
    after = { namespace: last.namespace, name: last.name };
  }
}

/** Cards that one read of the registry fetches, how many at a time, and its longest wait for them. */
const READS_MAX = 50;
const READS_AT_ONCE = 8;
const READS_WAIT_MS = 1_500;

/** Reads cards that were not read recently. A card that takes longer than the wait is in the next answer. */
async function readDue({ clock, directory }: Pick<AgentCardDeps, 'clock' | 'directory'>, urls: ReadonlySet<string>): Promise<void> {
  const due = [...urls].filter((url) => URL.canParse(url) && directory.isDue(url)).slice(0, READS_MAX);
  if (due.length === 0) return;
  const { signal } = new AbortController();
  const work = due.values();
  const readAll = async () => {
    for (const url of work) await directory.find({ url, credentials: {}, signal, what: `the agent at ${url}` }).catch(() => undefined);
  };
  await endsWithin(Promise.all(Array.from({ length: READS_AT_ONCE }, readAll)), { clock, ms: READS_WAIT_MS });
}

function namedAgent(tool: StoredObject): NamedAgent[] {
  const { type, a2a } = specOf('Tool', tool);
  if (type !== 'a2a' || !a2a?.agent_url) return [];
  const { agent_url: url, protocol_version: protocolVersion } = a2a;
  return [{ name: tool.name, namespace: tool.namespace, url, ...(protocolVersion && { protocolVersion }) }];
}

interface References {
  readonly kind: KindName;
  readonly refs: readonly string[];
  /** The object that holds the references. */
  readonly from: StoredObject;
}

async function objectsOf(store: Pick<Store, 'getObject'>, { kind, refs, from }: References): Promise<StoredObject[]> {
  const distinct = [...new Set(refs)].slice(0, TOOLS_MAX);
  const found = await Promise.all(distinct.map((ref) => store.getObject({ kind, ...parseRef(ref, from.namespace) })));
  return found.filter((object) => object !== undefined);
}
