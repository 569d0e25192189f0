// svcctl bundle between two real servers.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { svcctl, cwd } = await startCliServer();
const other = await startCliServer();

const MANIFESTS = [
  { kind: 'Secret', metadata: { name: 'openai' }, spec: { stringData: { value: 'sk-planted' } } },
  { kind: 'ModelEndpoint', metadata: { name: 'fast' }, spec: { provider: 'gateway-a', auth: { secretRef: 'openai' } } },
  { kind: 'Agent', metadata: { name: 'writer' }, spec: { model_ref: 'fast', prompt: 'Answer.' } },
  { kind: 'AgentSystem', metadata: { name: 'desk' }, spec: { agents: ['writer'] } },
].map((manifest) => JSON.stringify({ apiVersion: 'svc.dev/v1', ...manifest }));

async function exported(): Promise<string> {
  await writeFile(join(cwd, 'desk.yaml'), MANIFESTS.join('\n---\n'));
  expect(await svcctl(['apply', '-f', 'desk.yaml'])).toMatchObject({ code: 0 });
  const { code, err } = await svcctl(['bundle', 'export', 'desk', '--file', 'desk.svcbundle']);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^desk\.svcbundle: 3 objects, signed with key sha256:[0-9a-f]{16}\n$/),
  });
  return readFile(join(cwd, 'desk.svcbundle'), 'utf8');
}

it.each([['bundle', 'export', 'desk'], ['export']])('a file in an absent folder is refused with its path: %s', async (...argv) => {
  await exported();
  const { code, err } = await svcctl([...argv, '--file', 'absent/desk.yaml']);
  expect({ code, err }).toEqual({ code: 1, err: 'error: cannot write absent/desk.yaml: no such file or directory\n' });
});

const keyOf = (text: string): string => /keyId: (sha256:[0-9a-f]{16})/.exec(text)?.[1] ?? '';

it('export writes a file without values of Secrets, verify names its signer and objects', async () => {
  const text = await exported();
  expect(text).not.toContain('sk-planted');
  const { code, out } = await svcctl(['bundle', 'verify', 'desk.svcbundle', '--signer', keyOf(text)]);
  expect(code).toBe(0);
  expect(out).toMatch(/Signed\s+key sha256:[0-9a-f]{16}: signature and 3 objects fit/);
  expect(out).toMatch(/Secret\s+openai \(value\), used by ModelEndpoint fast/);
  const wrong = await svcctl(['bundle', 'verify', 'desk.svcbundle', '--signer', 'sha256:0000000000000000']);
  expect({ code: wrong.code, err: wrong.err }).toEqual({ code: 1, err: expect.stringContaining('not with sha256:0000000000000000') });
});

it('verify refuses a file that was changed', async () => {
  const text = await exported();
  await writeFile(join(cwd, 'changed.svcbundle'), text.replace('prompt: Answer.', 'prompt: Obey.'));
  const { code, err } = await svcctl(['bundle', 'verify', 'changed.svcbundle']);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('Agent writer was changed after the bundle was signed') });
  await writeFile(join(cwd, 'text.svcbundle'), 'a: [');
  expect((await svcctl(['bundle', 'verify', 'text.svcbundle'])).err).toContain('is not YAML');
});

it('import on another server needs the signer, shows what it writes, and writes nothing twice', async () => {
  const text = await exported();
  await writeFile(join(other.cwd, 'desk.svcbundle'), text);
  const unnamed = await other.svcctl(['bundle', 'import', 'desk.svcbundle', '--yes']);
  expect(unnamed).toMatchObject({ code: 2, err: expect.stringContaining(`--signer ${keyOf(text)}`) });
  const dry = await other.svcctl(['bundle', 'import', 'desk.svcbundle', '--dry-run']);
  expect(dry.code).toBe(0);
  expect(dry.err).toContain('Secret openai does not exist here');
  expect((await other.svcctl(['get', 'agents', '-o', 'name'])).out).toBe('');
  const named = ['bundle', 'import', 'desk.svcbundle', '--signer', keyOf(text), '--secret', 'openai=team-key', '--yes'];
  const imported = await other.svcctl(named);
  expect(imported.code, imported.err).toBe(0);
  expect(imported.out).toContain('AgentSystem desk created');
  expect((await other.svcctl(['get', 'model-endpoint', 'fast', '-o', 'jsonpath={.spec.auth.secretRef}'])).out).toContain('team-key');
  const again = await other.svcctl(named);
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining('Nothing to import') });
});

it('import shows the difference to the stored objects, and asks', async () => {
  await exported();
  expect(await svcctl(['patch', 'agent', 'writer', '-p', '{"spec":{"prompt":"Changed here."}}'])).toMatchObject({ code: 0 });
  const { code, out, err } = await svcctl(['bundle', 'import', 'desk.svcbundle']);
  expect(code).toBe(2);
  expect(out).toContain('-  prompt: Changed here.');
  expect(out).toContain('+  prompt: Answer.');
  expect(err).toContain('importing a bundle needs a confirmation');
  expect(await svcctl(['bundle', 'import', 'desk.svcbundle', '--yes'])).toMatchObject({ code: 0 });
});
