// Agent cards, their keys, and the registry of agents (docs/a2a.md).
import { createHash } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import type { CardForm } from '../../a2a/cards/card.ts';
import type { AgentCards, AgentPage } from '../../a2a/cards/card-service.ts';
import type { Authorizer } from '../../authorizer/authorizer.ts';
import type { Turns } from '../outflow/turns.ts';
import type { Call, Parameter, Reply, Route } from '../route.ts';
import { plainText } from '../text-types.ts';
import { arraysReply, type PageOf } from './array-stream.ts';
import { a2aVersion } from './a2a.ts';
import { namespaceParameter, objectOf } from './parameters.ts';
import { ref } from './schemas.ts';

export interface A2aCardServices {
  readonly agentCards: AgentCards;
  readonly authorizer?: Pick<Authorizer, 'filter'> | undefined;
}

const TAG = 'A2A';
const CACHE = 'public, max-age=300';
const REGISTRY = 'GET /v1/a2a/agents lists the agents of this server';
const RESOURCE = 'agent-systems';

const versionParameter: Parameter = {
  name: 'A2A-Version',
  description: '1.0 asks for the card in the strict form of A2A 1.0; otherwise the card also has the fields of A2A 0.3.',
  ...plainText(32),
};

const formOf = (call: Call): CardForm => (/^1\.0(\.\d+)?$/.test(a2aVersion(call)) ? 'strict' : 'hybrid');

/** The card with the keys of its signatures in place of them: ES256 signs the same card in another way each time. */
function signedContent({ signatures = [], ...content }: JsonObject): JsonObject {
  return { ...content, signatures: (signatures as JsonObject[]).map(({ protected: key }) => key as string) };
}

/** Clients keep a card for five minutes, and then ask whether it has changed. */
function cached(call: Call, card: JsonObject): Reply {
  const text = JSON.stringify(card);
  const etag = `"${createHash('sha256')
    .update(JSON.stringify(signedContent(card)))
    .digest('base64url')
    .slice(0, 27)}"`;
  const headers = { ETag: etag, 'Cache-Control': CACHE, Vary: 'A2A-Version' };
  const known = (call.header('if-none-match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (known.includes(etag) || known.includes('*')) return { type: 'text', status: 304, contentType: 'application/json', text: '', headers };
  return { type: 'text', status: 200, contentType: 'application/json', text, headers };
}

const RESPONSES = {
  200: {
    description: 'The card.',
    schema: ref('AgentCard'),
    headers: { ETag: 'Version of the card.', 'Cache-Control': 'How long it may be kept.' },
  },
  304: { description: 'The card is the one that If-None-Match names.' },
} as const;

function rootRoute({ agentCards }: A2aCardServices, file: string, operationId: string): Route {
  return {
    method: 'GET',
    path: `/.well-known/${file}`,
    access: 'public',
    tag: TAG,
    operationId,
    summary: 'The agent card of the one system that is open to A2A',
    query: [versionParameter],
    headers: [versionParameter],
    responses: RESPONSES,
    errors: ['not_found'],
    handle: async (call) => {
      const card = await agentCards.root(formOf(call));
      if (typeof card === 'string') throw new ServiceError('not_found', `There is no single agent card: ${card}`);
      return cached(call, card);
    },
  };
}

function systemRoute({ agentCards }: A2aCardServices, file: string, operationId: string): Route {
  return {
    method: 'GET',
    path: `/v1/agent-systems/{name}/.well-known/${file}`,
    access: 'public',
    tag: TAG,
    operationId,
    summary: 'The agent card of a system',
    query: [namespaceParameter, versionParameter],
    headers: [versionParameter],
    responses: RESPONSES,
    errors: ['not_found'],
    handle: async (call) => {
      const card = await agentCards.of(objectOf(call), formOf(call));
      if (card === undefined) throw new ServiceError('not_found', `There is no agent of this name that is open to A2A; ${REGISTRY}`);
      return cached(call, card);
    },
  };
}

type AgentRef = { readonly namespace: string; readonly name: string };
type Portion<Agent> = { readonly read: () => Promise<AgentPage<Agent>>; readonly turns: Turns };

/** Agents to the end of the list, in the form that `shown` gives them. */
async function portions<Agent extends AgentRef>(
  call: Call,
  { read, turns }: Portion<Agent>,
  shown: (agents: readonly Agent[]) => Promise<readonly unknown[]>,
): Promise<PageOf<unknown>> {
  const { items, next } = await turns.run(read);
  return { items: await shown(items), next: next && (() => portions(call, { read: next, turns: call.portions }, shown)) };
}

async function listAgents({ agentCards, authorizer }: A2aCardServices, call: Call): Promise<Reply> {
  const identity = await call.recognise();
  const seen = async <Agent extends AgentRef>(agents: readonly Agent[], resource: string): Promise<readonly Agent[]> => {
    if (!authorizer || !identity) return agents;
    return authorizer.filter(identity, agents, ({ namespace, name }) => ({ method: 'GET', resource, namespace, name }));
  };
  const { firstPortions: turns } = call;
  const local = await portions(call, { read: () => agentCards.local(identity), turns }, async (agents) =>
    (await seen(agents, RESOURCE)).map(({ card }) => card),
  );
  const seesRemote = identity !== undefined && identity.role !== 'a2a';
  // Outside of a turn: reading the cards of remote agents may take long.
  const others = seesRemote ? await agentCards.remote() : { items: [], next: undefined };
  const remote = await portions(call, { read: () => Promise.resolve(others), turns }, (agents) => seen(agents, 'tools'));
  return arraysReply([
    { first: local, frame: { open: '{"localAgents":[', close: () => ']' } },
    { first: remote, frame: { open: ',"remoteAgents":[', close: () => ']}' } },
  ]);
}

export function a2aCardRoutes(services: A2aCardServices): Route[] {
  const { agentCards } = services;
  return [
    rootRoute(services, 'agent-card.json', 'getRootAgentCard'),
    rootRoute(services, 'agent.json', 'getRootAgentCardByOldPath'),
    systemRoute(services, 'agent-card.json', 'getAgentCard'),
    systemRoute(services, 'agent.json', 'getAgentCardByOldPath'),
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      access: 'public',
      tag: TAG,
      operationId: 'getAgentCardKeys',
      summary: 'Public keys of the signatures of agent cards',
      responses: { 200: { description: 'A JWK set.', schema: { type: 'object' } } },
      errors: ['not_found'],
      handle: async (call) => {
        if (agentCards.keys === undefined)
          throw new ServiceError('not_found', 'This server does not sign agent cards; --a2a-card-signing-key makes it');
        return cached(call, agentCards.keys);
      },
    },
    {
      method: 'GET',
      path: '/v1/a2a/agents',
      access: 'public',
      tag: TAG,
      operationId: 'listA2aAgents',
      summary: 'Agents of this server, and remote agents that its tools name',
      description: 'Without a token: only public systems. With one of role a2a: the systems that it may invoke.',
      responses: { 200: { description: 'The agents.', schema: ref('A2aAgents') } },
      errors: ['unauthorized'],
      inPortions: true,
      handle: (call) => listAgents(services, call),
    },
  ];
}
