// svcctl webhook against a real server: deliveries that are signed here are accepted there.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const { svcctl, cwd } = await startCliServer();
const SECRET = 'topsecret';
await writeFile(join(cwd, 'secret.txt'), `${SECRET}\n`);
await writeFile(join(cwd, 'body.bin'), Buffer.from([0xff, 0xfe, 0]));

const object = (kind: string, name: string, spec: object) => ({ apiVersion: 'svc.dev/v1', kind, metadata: { name }, spec });

async function apply(name: string, spec: object): Promise<void> {
  const manifests = [
    object('Task', 'template', { system: 'none', mode: 'template' }),
    object('Secret', 'secret', { stringData: { value: SECRET } }),
    object('TaskWebhook', name, { task_ref: 'template', ...spec }),
  ];
  const stdin = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  expect(await svcctl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

const AUTHS: readonly (readonly [string, object])[] = [
  ['generic', {}],
  ['codehost', { profile: 'codehost' }],
  ['shared-token', { profile: 'shared_token', signature_header: 'Authorization', signature_prefix: 'Bearer ' }],
  [
    'stripe',
    {
      profile: 'hmac',
      payload_format: 'timestamp_dot_body',
      header_format: 'kv_pairs',
      signature_header: 'Stripe-Signature',
      timestamp_key: 't',
      signature_key: 'v1',
    },
  ],
  [
    'slack',
    {
      profile: 'hmac',
      payload_format: 'prefix_timestamp_body',
      payload_prefix: 'v0',
      payload_separator: ':',
      signature_header: 'X-Slack-Signature',
      signature_prefix: 'v0=',
      timestamp_header: 'X-Slack-Request-Timestamp',
    },
  ],
  ['sha512-base64', { profile: 'hmac', algorithm: 'sha512', signature_encoding: 'base64', signature_header: 'X-Sig' }],
];

it.each(AUTHS)('send signs for %s, and a second delivery of the event is a duplicate', async (name, auth) => {
  await apply(name, { auth: { secret_ref: 'secret', ...auth } });
  const argv = ['webhook', 'send', name, '--secret-file', 'secret.txt', '--event-id', 'e1', '--data', '{"a":1}'];
  const first = await svcctl(argv);
  expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
  expect(first.out).toMatch(new RegExp(`^accepted: event e1, task/${name}-[0-9a-f]{16}\n$`));
  expect((await svcctl([...argv, '-o', 'name'])).out).toBe(first.out.replace(/^.*, /, ''));
  const listed = JSON.parse((await svcctl(['webhook', 'deliveries', name, '-o', 'json'])).out) as unknown;
  expect(listed).toMatchObject([{ outcome: 'duplicate' }, { outcome: 'accepted', event_id: 'e1' }]);
  const again = await svcctl(['webhook', 'redeliver', `webhook/${name}`, '1']);
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringMatching(new RegExp(`^task/${name}-[0-9a-f]{16}-2 created\n$`)) as unknown,
  });
});

it('send reads the secret from standard input and leaves the event id to the body where the webhook reads it there', async () => {
  await apply('by-body', { auth: { secret_ref: 'secret' }, idempotency: { event_id_from_body: 'data.id' } });
  const { out } = await svcctl(['webhook', 'send', 'by-body', '--data', '{"data":{"id":77}}', '-o', 'json'], { stdin: SECRET });
  expect(JSON.parse(out)).toMatchObject({ accepted: true, duplicate: false, event_id: '77' });
});

it('send keeps every byte of a body', async () => {
  await apply('bytes', { auth: { secret_ref: 'secret' } });
  const argv = ['webhook', 'send', 'bytes', '--secret-file', 'secret.txt', '--data-file', 'body.bin', '-o', 'name'];
  const { out } = await svcctl(argv);
  const task = JSON.parse((await svcctl(['get', 'task', out.trim().split('/').at(-1) ?? '', '-o', 'json'])).out) as { spec: unknown };
  expect(task.spec).toMatchObject({ input: { webhook_payload: '//4A', webhook_payload_encoding: 'base64' } });
});

it('send names the list of deliveries when a signature is refused, and prints the secret nowhere', async () => {
  await apply('refusing', { auth: { secret_ref: 'secret' } });
  const { code, out, err } = await svcctl(['webhook', 'send', 'refusing'], { stdin: 'another-secret' });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('signature');
  expect(err).toContain('webhook deliveries refusing');
  expect(err).not.toContain('another-secret');
  await vi.waitFor(async () => {
    expect((await svcctl(['webhook', 'deliveries', 'refusing'])).out).toContain('does not match');
  }, 20_000);
  expect(await svcctl(['webhook', 'redeliver', 'refusing', '1'])).toMatchObject({ code: 1 });
});

it.each([
  ['an empty secret', ['send', 'generic'], '\n', 2, 'the secret is empty'],
  ['a file that is not there', ['send', 'generic', '--secret-file', 'absent'], '', 2, 'cannot read absent'],
  ['the secret and the body from one stream', ['send', 'generic', '--data-file', '-'], 'x', 2, 'only one of'],
  ['two bodies', ['send', 'generic', '--data', 'a', '--data-file', 'body.bin'], 'x', 2, 'one of --data'],
  ['a header that splits the request', ['send', 'generic', '--header', 'a=b\r\nc: d'], 'x', 2, 'is not NAME=VALUE'],
  ['another kind', ['send', 'task/template'], 'x', 2, 'is not a'],
  ['a webhook that does not exist', ['send', 'absent'], 'x', 5, 'absent'],
  ['a delivery that does not exist', ['redeliver', 'generic', '999'], '', 5, '999'],
])('webhook refuses %s', async (_what, argv, stdin, code, message) => {
  await apply('generic', { auth: { secret_ref: 'secret' } });
  const result = await svcctl(['webhook', ...argv], { stdin });
  expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
  expect(result.err).toContain(message);
});
