import { describe, expect, test } from 'vitest';
import { json } from '../testing/loopback-server.ts';
import { ask, failure, startModelServer } from '../testing/model-calls.ts';

const answer = json({ model: 'm1', choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] });

describe.each(['gateway-a-compatible', 'gateway-b', 'gateway-c'])('extra_body of %s', (provider) => {
  const spec = (url: string, body: object) => ({
    provider,
    base_url: url,
    default_model: 'm1',
    allowPrivate: true,
    auth: { secretRef: 'key' },
    options: { extra_body: JSON.stringify(body) },
  });

  test.each(['model', 'models', 'messages', 'stream'])(
    'cannot set %s: a request never differs from the one that policies judged',
    async (key) => {
      const { server, port } = await startModelServer(answer);
      const error = await failure(ask(port, { spec: spec(server.url, { [key]: 'other', seed: 1 }) }));
      expect(error).toMatchObject({ code: 'runtime_policy_invalid', reason: 'invalid_option', retryable: false });
      expect(error.message).toContain(`must not set ${key}`);
      expect(server.seen).toEqual([]);
    },
  );
});
