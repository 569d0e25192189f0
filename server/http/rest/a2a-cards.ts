// Agent cards, their keys, and the registry of agents (docs/a2a.md).
import { createHash } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import type { CardForm } from '../../a2a/cards/card.ts';
import type { AgentCards } from '../../a2a/cards/card-service.ts';
import type { Authorizer } from '../../authorizer/authorizer.ts';
import { json, type Call, type Parameter, type Reply, type Route } from '../route.ts';
import { plainText } from '../text-types.ts';
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

const versionHeader: Parameter = {
  name: 'A2A-Version',
  description: '1.0 asks for the card in the strict form of A2A 1.0; otherwise the card also has the fields of A2A 0.3.',
  ...plainText(32),
};

const formOf = (call: Call): CardForm => (/^1\.0(\.\d+)?$/.test((call.header('a2a-version') ?? '').trim()) ? 'strict' : 'hybrid');

/** Clients keep a card for five minutes, and then ask whether it has changed. */
function cached(call: Call, card: JsonObject): Reply {
  const text = JSON.stringify(card);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
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
    headers: [versionHeader],
    responses: RESPONSES,
    errors: ['not_found'],
    handle: async (call) => {
      const card = await agentCards.root(formOf(call));
      if (typeof card === 'string') throw new ServiceError('not_found', `There is no one agent card: ${card}`);
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
    query: [namespaceParameter],
    headers: [versionHeader],
    responses: RESPONSES,
    errors: ['not_found'],
    handle: async (call) => {
      const card = await agentCards.of(objectOf(call), formOf(call));
      if (card === undefined) throw new ServiceError('not_found', `There is no agent of this name that is open to A2A; ${REGISTRY}`);
      return cached(call, card);
    },
  };
}

async function listAgents({ agentCards, authorizer }: A2aCardServices, call: Call): Promise<Reply> {
  const identity = await call.recognise();
  const cards = await agentCards.local(identity);
  if (identity === undefined) return json({ localAgents: cards.map(({ card }) => card), remoteAgents: [] });
  const remote = identity.role === 'a2a' ? [] : await agentCards.remote();
  if (!authorizer) return json({ localAgents: cards.map(({ card }) => card), remoteAgents: remote });
  const local = await authorizer.filter(identity, cards, ({ namespace, name }) => ({ method: 'GET', resource: RESOURCE, namespace, name }));
  const tools = await authorizer.filter(identity, remote, ({ namespace, name }) => ({ method: 'GET', resource: 'tools', namespace, name }));
  return json({ localAgents: local.map(({ card }) => card), remoteAgents: tools });
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
      summary: 'Agents of this server, and agents elsewhere that its tools name',
      description: 'Without a token: public systems alone. With one of role a2a: the systems that it may invoke.',
      responses: { 200: { description: 'The agents.', schema: ref('A2aAgents') } },
      errors: ['unauthorized'],
      handle: (call) => listAgents(services, call),
    },
  ];
}
