// Cards and registry entries, whose values other servers wrote.
import { expect, test } from 'vitest';
import { cardState, needsToken, readRegistry, signaturesOf, skillsOf } from './registry.ts';

const encoded = (header: object) => btoa(JSON.stringify(header)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

test('local agents are read from the addresses of their cards, in either form', () => {
  const url = 'https://host/svc/v1/agent-systems/desk/a2a?namespace=ops';
  const { local } = readRegistry({
    localAgents: [
      { name: 'desk', url },
      { name: 'strict', supportedInterfaces: [{ url: 'https://host/v1/agent-systems/strict/a2a' }] },
      { name: 'none' },
      7,
    ],
  });
  expect(local.map(({ namespace, system }) => [namespace, system])).toEqual([
    ['ops', 'desk'],
    ['default', 'strict'],
  ]);
});

test('remote agents keep only fields of the right type', () => {
  const { remote } = readRegistry({
    remoteAgents: [
      { name: 'far', namespace: 'ops', url: 'https://far', cacheStatus: 'stale', error: 7, card: 'none' },
      { name: 'no-url' },
      null,
    ],
  });
  expect(remote).toEqual([
    {
      ...{ name: 'far', namespace: 'ops', url: 'https://far', cacheStatus: 'stale' },
      ...{ protocolVersion: undefined, lastRefreshed: undefined, error: undefined, card: undefined },
    },
  ]);
});

test.each([undefined, null, [], 'text', { localAgents: {}, remoteAgents: 'x' }])('%j is an empty registry', (body) => {
  expect(readRegistry(body)).toEqual({ local: [], remote: [] });
});

test('signatures are named by algorithm and key, also unreadable ones', () => {
  const card = { signatures: [{ protected: encoded({ alg: 'ES256', kid: 'k1' }) }, { protected: '%%' }, 'text'] };
  expect(signaturesOf(card)).toEqual([
    { algorithm: 'ES256', keyId: 'k1' },
    { algorithm: 'unreadable', keyId: undefined },
  ]);
  expect(signaturesOf({})).toEqual([]);
});

test.each([
  [{ authentication: { schemes: ['bearer'] } }, true],
  [{ securityRequirements: [{ schemes: {} }] }, true],
  [{ securitySchemes: {} }, false],
  [{}, false],
])('a token is needed for %j: %s', (card, needed) => {
  expect(needsToken(card)).toBe(needed);
});

test('skills without a name have that of their id', () => {
  expect(skillsOf({ skills: [{ id: 'find' }, { name: 'Fetch', description: 'Fetches' }, {}] })).toEqual([
    { name: 'find', description: undefined },
    { name: 'Fetch', description: 'Fetches' },
  ]);
});

test('a failed card is in the tone of a failure, and an unknown state keeps its name', () => {
  const agent = readRegistry({ remoteAgents: [{ name: 'far', url: 'https://far' }] }).remote[0];
  if (!agent) throw new Error('no agent');
  expect(cardState(agent)).toEqual({ label: 'Not read yet', tone: 'neutral' });
  expect(cardState({ ...agent, error: 'bad signature' }).tone).toBe('danger');
  expect(cardState({ ...agent, cacheStatus: 'not_modified' }).label).toBe('not modified');
});

test('a card whose address cannot be decoded is shown with the address as it is', () => {
  const card = { name: 'x', url: 'https://host/v1/agent-systems/%E0%A4%A/a2a?namespace=ops' };
  expect(readRegistry({ localAgents: [card], remoteAgents: [] }).local).toMatchObject([{ namespace: 'ops', system: '%E0%A4%A' }]);
});
