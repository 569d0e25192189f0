// Programs that send deliveries: signed as the profile says, with every text of the webhook quoted.
import { normalizeTaskWebhook } from '@svc/shared/kinds/task-webhook/rules';
import { expect, it } from 'vitest';
import { LANGUAGES, snippet } from './snippets.ts';

const target = (auth: object) => ({
  namespace: 'default',
  name: 'pushes',
  url: 'https://svc.example/v1/webhook-deliveries/e0',
  spec: normalizeTaskWebhook({ task_ref: 't', auth: { secret_ref: 's', ...auth } }),
});

it('curl signs time and body for profile generic', () => {
  expect(snippet('curl', target({})).split('\n')).toEqual([
    'SECRET=$(cat secret.txt)',
    `BODY='{"test":true}'`,
    'ID=$(openssl rand -hex 16)',
    'TIME=$(date +%s)',
    `SIGNATURE=$(printf %s "$TIME"'.'"$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`,
    `curl 'https://svc.example/v1/webhook-deliveries/e0' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H 'X-Signature: sha256='"$SIGNATURE" \\`,
    `  -H 'X-Timestamp: '"$TIME" \\`,
    `  -H 'X-Event-Id: '"$ID" \\`,
    '  -d "$BODY"',
  ]);
});

it('node signs the body for profile codehost, without a time', () => {
  const program = snippet('node', target({ profile: 'github' }));
  expect(program).toContain("createHmac('sha256', secret).update(body).digest('hex')");
  expect(program).toContain('"X-Hub-Signature-256": "sha256=" + signature,');
  expect(program).not.toContain('time');
});

it('python writes pairs of time and signature', () => {
  const auth = { profile: 'hmac', payload_format: 'timestamp_dot_body', header_format: 'kv_pairs', signature_header: 'Stripe-Signature' };
  const program = snippet('python', target({ ...auth, timestamp_key: 't', signature_key: 'v1', signature_encoding: 'base64' }));
  expect(program).toContain('(time + "." + body).encode()');
  expect(program).toContain('"Stripe-Signature": "t=" + time + ",v1=" + signature,');
  expect(program).toContain('base64.b64encode(');
});

it('a shared token is sent and signs nothing', () => {
  const auth = { profile: 'shared_token', signature_header: 'Authorization', signature_prefix: 'Bearer ' };
  for (const language of ['curl', 'node', 'python'] as const)
    expect(snippet(language, target(auth))).not.toMatch(/hmac\(|dgst|createHmac\(/);
  expect(snippet('node', target(auth))).toContain('"Authorization": "Bearer " + secret,');
});

it('a hostile prefix stays a text in every language', () => {
  const prefix = `'; rm -rf ~ #"$(id)\``;
  const auth = { profile: 'shared_token', signature_header: "X-'`$", signature_prefix: prefix };
  const programs = LANGUAGES.map((language) => snippet(language, target(auth)));
  expect(programs[0]).toContain(`'X-'\\''\`$: '\\''; rm -rf ~ #"$(id)\`'"$SECRET"`);
  expect(programs[1]).toContain(JSON.stringify(prefix));
  expect(programs[2]).toContain(JSON.stringify(prefix));
});
