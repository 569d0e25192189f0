// Bundles between two servers: written on one, reviewed and imported on the other.
import { generateKeyPairSync, sign } from 'node:crypto';
import { signedText, type SignedBundle } from '@svc/shared/bundle/bundle';
import { parseAllDocuments, stringify } from 'yaml';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createDecisionLog } from '../decisions/decision-log.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';
import { bundleCrypto } from './bundle-crypto.ts';

const SYSTEM = [
  { kind: 'Secret', metadata: { name: 'openai' }, spec: { stringData: { value: 'sk-planted-secret' } } },
  { kind: 'ModelEndpoint', metadata: { name: 'fast' }, spec: { provider: 'gateway-a', auth: { secretRef: 'openai' } } },
  { kind: 'Tool', metadata: { name: 'search' }, spec: { type: 'http', endpoint: 'https://search.example/', operation_classes: ['read'] } },
  { kind: 'Tool', metadata: { name: 'unrelated' }, spec: { type: 'http', endpoint: 'https://other.example/' } },
  { kind: 'AgentRole', metadata: { name: 'reader' }, spec: { permissions: ['search'] } },
  { kind: 'ToolPermission', metadata: { name: 'ask-first' }, spec: { tool_ref: 'search', required_permissions: ['search'] } },
  { kind: 'ToolPermission', metadata: { name: 'other' }, spec: { tool_ref: 'unrelated' } },
  { kind: 'AgentPolicy', metadata: { name: 'small' }, spec: { apply_mode: 'scoped', target_systems: ['desk'], max_tokens_per_run: 5000 } },
  { kind: 'AgentPolicy', metadata: { name: 'everywhere' }, spec: { apply_mode: 'global', max_tokens_per_run: 9000 } },
  {
    kind: 'Agent',
    metadata: { name: 'writer', labels: { team: 'desk' }, annotations: { 'svc.dev/managed-by': 'crd', note: 'kept' } },
    spec: { model_ref: 'fast', prompt: 'Answer: yes\nno "maybe"', tools: ['search', 'gone'], roles: ['reader'] },
  },
  { kind: 'AgentSystem', metadata: { name: 'desk' }, spec: { agents: ['writer'], graph: { writer: {} } } },
];

async function server(): Promise<HttpFixture> {
  const fixture = await startHttpFixture();
  onTestFinished(() => fixture.close());
  await createDecisionLog({ store: fixture.store, secretBox: createSecretBox(), clock: systemClock }).prepare();
  return fixture;
}

async function filled(): Promise<HttpFixture> {
  const from = await server();
  const applied = await from.send('POST', '/v1/apply', { body: SYSTEM });
  expect(applied.status, applied.text).toBe(200);
  return from;
}

const yaml = { 'content-type': 'application/yaml' };
const written = async (from: HttpFixture): Promise<string> => (await from.send('GET', '/v1/agent-systems/desk/bundle')).text;
const partsOf = (text: string) => parseAllDocuments(text).map((document) => document.toJS());
const textOf = (parts: readonly unknown[]) => parts.map((part) => stringify(part)).join('---\n');

test('a bundle holds the system, what it refers to, its permissions and scoped policies, in dependency order', async () => {
  const from = await filled();
  const answer = await from.send('GET', '/v1/agent-systems/desk/bundle');
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers['content-disposition']).toBe('attachment; filename="desk.svcbundle"');
  expect(answer.text).not.toContain('sk-planted');
  const [manifest, ...objects] = partsOf(answer.text);
  expect(manifest).toMatchObject({
    kind: 'Bundle',
    metadata: { name: 'desk', createdBy: 'anonymous' },
    spec: {
      system: 'desk',
      source: { namespace: 'default', version: '0.0.0' },
      secrets: [{ name: 'openai', keys: ['value'], usedBy: ['ModelEndpoint fast'] }],
      missing: ['Tool gone'],
    },
    signature: { algorithm: 'Ed25519' },
  });
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
    'Agent writer',
    'AgentPolicy small',
    'AgentRole reader',
    'AgentSystem desk',
    'ModelEndpoint fast',
    'Tool search',
    'ToolPermission ask-first',
  ]);
  expect(objects.find(({ kind }) => kind === 'Agent').metadata).toEqual({
    name: 'writer',
    labels: { team: 'desk' },
    annotations: { note: 'kept' },
  });
});

test('an import on another server needs the key id of the signer, writes all objects once, and maps Secrets', async () => {
  const text = await written(await filled());
  const to = await server();
  const query = 'namespace=team&secrets=openai=team-openai';
  await to.send('POST', '/v1/secrets?namespace=team', {
    body: { metadata: { name: 'team-openai' }, spec: { stringData: { value: 'x' } } },
  });
  const review = await to.send('POST', `/v1/bundles/review?${query}`, { body: text, headers: yaml });
  expect(review.status, review.text).toBe(200);
  expect(review.body).toMatchObject({
    name: 'desk',
    signer: { standing: 'unknown' },
    secrets: [{ name: 'openai', mappedTo: 'team-openai', exists: true }],
    missing: ['Agent writer refers to Tool team/gone, which does not exist here'],
  });
  expect(review.body.objects.every(({ action, current }: any) => action === 'created' && current === undefined)).toBe(true);
  expect((await to.send('GET', '/v1/agents?namespace=team')).body).toEqual([]);
  const unnamed = await to.send('POST', `/v1/bundles/import?${query}`, { body: text, headers: yaml });
  expect(unnamed.status).toBe(409);
  expect(unnamed.body.error.message).toContain(review.body.signer.keyId);
  const { keyId } = review.body.signer;
  const imported = await to.send('POST', `/v1/bundles/import?${query}&signer=${keyId}&review=${review.body.review}`, {
    body: text,
    headers: yaml,
  });
  expect(imported.status, imported.text).toBe(200);
  expect(imported.body.results).toHaveLength(7);
  const model = (await to.send('GET', '/v1/model-endpoints/fast?namespace=team')).body;
  expect(model.spec.auth.secretRef).toBe('team-openai');
  const again = await to.send('POST', `/v1/bundles/import?${query}&signer=${keyId}`, { body: text, headers: yaml });
  expect(new Set(again.body.results.map(({ action }: any) => action))).toEqual(new Set(['unchanged']));
  const stale = await to.send('POST', `/v1/bundles/import?${query}&signer=${keyId}&review=${review.body.review}`, {
    body: text,
    headers: yaml,
  });
  expect(stale.status).toBe(409);
});

test('a Secret keeps a name that every object of JavaScript has', async () => {
  const to = await server();
  const named = SYSTEM.map((object) => (object.kind === 'Secret' ? { ...object, metadata: { name: 'constructor' } } : object)).map(
    (object) =>
      object.kind === 'ModelEndpoint' ? { ...object, spec: { provider: 'gateway-a', auth: { secretRef: 'constructor' } } } : object,
  );
  expect((await to.send('POST', '/v1/apply', { body: named })).status).toBe(200);
  const review = await to.send('POST', '/v1/bundles/review?namespace=team', { body: await written(to), headers: yaml });
  expect(review.status, review.text).toBe(200);
  expect(review.body.secrets).toMatchObject([{ name: 'constructor', mappedTo: 'constructor', exists: false }]);
});

test('a server imports its own bundle without a named signer, and shows what differs', async () => {
  const from = await filled();
  const text = await written(from);
  await from.send('PATCH', '/v1/agents/writer', { body: { spec: { prompt: 'Changed.' } } });
  const review = await from.send('POST', '/v1/bundles/review', { body: text, headers: yaml });
  expect(review.body.signer.standing).toBe('own');
  const changed = review.body.objects.filter(({ action }: any) => action === 'configured');
  expect(changed).toMatchObject([
    { name: 'writer', current: { spec: { prompt: 'Changed.' } }, next: { spec: { prompt: 'Answer: yes\nno "maybe"' } } },
  ]);
  expect((await from.send('POST', '/v1/bundles/import', { body: text, headers: yaml })).status).toBe(200);
  expect((await from.send('GET', '/v1/agents/writer')).body.spec.prompt).toBe('Answer: yes\nno "maybe"');
});

test.each([
  [
    'an object that was changed',
    ([list, ...rest]: any[]) => [
      list,
      ...rest.map((part) => (part.kind === 'Agent' ? { ...part, spec: { ...part.spec, prompt: 'Obey.' } } : part)),
    ],
    'Agent writer was changed',
  ],
  [
    'an object that was added',
    (parts: any[]) => [...parts, { apiVersion: 'svc.dev/v1', kind: 'Agent', metadata: { name: 'spy' }, spec: {} }],
    'added to',
  ],
  ['an object that was left out', (parts: any[]) => parts.slice(0, -1), 'not complete'],
  [
    'a list that was changed',
    ([list, ...rest]: any[]) => [{ ...list, spec: { ...list.spec, system: 'other' } }, ...rest],
    'changed after it was signed',
  ],
  ['no signature', ([{ signature: _gone, ...list }, ...rest]: any[]) => [list, ...rest], 'not signed'],
  ['another key under the same id', ([list, ...rest]: any[]) => [forged(list), ...rest], 'carries key'],
  [
    'an invalid key',
    ([list, ...rest]: any[]) => [{ ...list, signature: { ...list.signature, publicKeyPEM: 'x' } }, ...rest],
    'no Ed25519 key',
  ],
  [
    'a namespace that was changed',
    ([list, first, ...rest]: any[]) => [list, { ...first, metadata: { ...first.metadata, namespace: 'kube' } }, ...rest],
    'another namespace',
  ],
  ['no bundle', () => [{ kind: 'Agent', apiVersion: 'svc.dev/v1', metadata: { name: 'a' }, spec: {} }], 'no Bundle'],
])('%s is refused with 400, and nothing is written', async (_, change, reason) => {
  const text = await written(await filled());
  const to = await server();
  for (const path of ['review', 'import']) {
    const answer = await to.send('POST', `/v1/bundles/${path}`, { body: textOf(change(partsOf(text) as any) as unknown[]), headers: yaml });
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining(reason)]);
  }
  expect((await to.send('GET', '/v1/agents')).body).toEqual([]);
});

/** The list signed with another key, which claims the id of the first. */
function forged(list: SignedBundle): SignedBundle {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const publicKeyPEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  expect(bundleCrypto.keyIdOf(publicKeyPEM)).not.toBe(list.signature.keyId);
  const value = sign(null, Buffer.from(signedText(list)), privateKey).toString('base64');
  return { ...list, signature: { ...list.signature, publicKeyPEM, value } };
}

test('an unknown system is 404, a Secret that the bundle does not name 400', async () => {
  const from = await filled();
  const text = await written(from);
  expect((await from.send('GET', '/v1/agent-systems/nobody/bundle')).status).toBe(404);
  const unknown = await from.send('POST', '/v1/bundles/review?secrets=other=mine', { body: text, headers: yaml });
  expect([unknown.status, unknown.body.error.message]).toEqual([400, expect.stringContaining('it names openai')]);
  expect((await from.send('POST', '/v1/bundles/review?secrets=broken', { body: text, headers: yaml })).status).toBe(400);
});
