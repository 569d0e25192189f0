// svcctl seal against a real server: what is sealed here becomes a Secret there.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';
import { atFileEnd } from '../../testing/file-end.ts';
import { startTestServer } from '../../testing/running-server.ts';

const { svcctl, cwd, server } = await startCliServer({ SVC_SECRET_ENCRYPTION_KEY: '5a'.repeat(32) });

const secretManifest = (name: string, spec: object, kind = 'Secret') =>
  JSON.stringify({ apiVersion: 'svc.dev/v1', kind, metadata: { name, labels: { team: 'a' } }, spec });

interface Sealed {
  readonly metadata: unknown;
  readonly spec: { readonly encryptedData: Readonly<Record<string, { readonly keyId: string }>>; readonly template?: unknown };
}

async function statusOf(name: string): Promise<unknown> {
  expect(await svcctl(['wait', 'sealed-secret', name, '--for', 'jsonpath={.status.phase}=Ready', '--timeout', '20s'])).toMatchObject({
    code: 0,
  });
  return JSON.parse((await svcctl(['get', 'secret', name, '-o', 'json'])).out) as unknown;
}

it('seal prints a manifest that becomes a Secret of the same name once it is applied', async () => {
  await writeFile(join(cwd, 'ca.pem'), Buffer.from([0, 255, 1]));
  const argv = ['seal', 'openai', '--from-literal', 'org=acme=1', '--from-file', 'value=-', '--from-file', 'ca=ca.pem'];
  const { code, out, err } = await svcctl(argv, { stdin: 'sk-secret\n' });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).not.toMatch(/acme|sk-secret/);
  await writeFile(join(cwd, 'sealed.yaml'), out);
  expect(await svcctl(['apply', '-f', 'sealed.yaml'])).toMatchObject({ code: 0 });
  expect(await statusOf('openai')).toMatchObject({
    metadata: { annotations: { 'svc.dev/sealedsecret-owner': 'default/openai' } },
    spec: { data: { org: '***', value: '***', ca: '***' } },
  });
});

it('seal -f - seals a Secret manifest with its labels', async () => {
  const manifest = secretManifest('smtp', { stringData: { user: 'u' }, data: { password: 'cGFzcw==' } });
  const { code, out } = await svcctl(['seal', '-f', '-', '-o', 'json'], { stdin: manifest });
  expect(code).toBe(0);
  const sealed = JSON.parse(out) as Sealed;
  expect(sealed.metadata).toEqual({ name: 'smtp', namespace: 'default' });
  expect(Object.keys(sealed.spec.encryptedData)).toEqual(['password', 'user']);
  expect(sealed.spec.template).toEqual({ labels: { team: 'a' } });
  expect(await svcctl(['apply', '-f', '-'], { stdin: out })).toMatchObject({ code: 0 });
  expect(await statusOf('smtp')).toMatchObject({ metadata: { labels: { team: 'a' } }, spec: { data: { user: '***', password: '***' } } });
});

it('seal --key seals without a server, with the key as JSON or as PEM', async () => {
  const shown = await svcctl(['seal', '--show-key']);
  const key = JSON.parse(shown.out) as { keyId: string; algorithm: string; publicKeyPEM: string };
  expect(key.algorithm).toBe('rsa-oaep-sha256+aes-256-gcm');
  expect(await (await fetch(`${server.url}/v1/sealing-key/public`)).json()).toEqual(key);
  await writeFile(join(cwd, 'key.json'), shown.out);
  await writeFile(join(cwd, 'key.pem'), key.publicKeyPEM);
  for (const file of ['key.json', 'key.pem']) {
    const argv = ['seal', 'x', '--from-literal', 'a=b', '--key', file, '-o', 'json', '--server', 'http://127.0.0.1:1'];
    const { code, out } = await svcctl(argv);
    expect(code).toBe(0);
    expect((JSON.parse(out) as Sealed).spec.encryptedData['a']?.keyId).toBe(key.keyId);
  }
  await writeFile(join(cwd, 'swapped.json'), shown.out.replace(key.keyId, 'sha256:0000000000000000'));
  expect(await svcctl(['seal', 'x', '--from-literal', 'a=b', '--key', 'swapped.json'])).toMatchObject({ code: 2, out: '' });
});

it('seal fails with code 1 on a server that has no sealing key', async () => {
  const keyless = await startTestServer();
  atFileEnd(() => keyless.stop());
  expect(await svcctl(['seal', '--show-key', '--server', keyless.url])).toEqual({
    code: 1,
    out: '',
    err: 'error: this server has no sealing key: start it with --secret-encryption-key, and it makes one\n',
  });
});

it.each([
  ['nothing to seal', ['seal', 'x'], '', 'nothing to seal'],
  ['no name', ['seal', '--from-literal', 'a=b'], '', 'nothing to seal'],
  ['a bad name', ['seal', 'Not/A', '--from-literal', 'a=b'], '', 'the name'],
  ['an empty value', ['seal', 'x', '--from-file', 'a=-'], '', 'is empty'],
  ['an entry twice', ['seal', 'x', '--from-literal', 'a=b', '--from-file', 'a=-'], 'c', 'is given twice'],
  ['a literal twice', ['seal', 'x', '--from-literal', 'a=b', '--from-literal', 'a=c'], '', 'is given twice'],
  ['a pair without a value', ['seal', 'x', '--from-literal', 'a'], '', 'is not KEY=VALUE'],
  ['a file that is not there', ['seal', 'x', '--from-file', 'a=absent'], '', 'cannot read absent'],
  ['a name beside manifests', ['seal', 'x', '-f', '-'], '', '-f cannot be combined with a name'],
  ['a manifest of another kind', ['seal', '-f', '-'], secretManifest('m', { model_ref: 'm' }, 'Agent'), 'only a Secret can be sealed'],
  ['a redacted value', ['seal', '-f', '-'], secretManifest('m', { data: { a: '***' } }), 'write-only'],
  ['a Secret without entries', ['seal', '-f', '-'], secretManifest('m', {}), 'no entry to seal'],
  ['a text that is no key', ['seal', 'x', '--from-literal', 'a=b', '--key', '-'], 'hello', 'holds no sealing key'],
])('seal refuses %s', async (_what, argv, stdin, message) => {
  const { code, out, err } = await svcctl(argv, { stdin });
  expect({ code: code > 0, out }).toEqual({ code: true, out: '' });
  expect(err).toContain(message);
});
