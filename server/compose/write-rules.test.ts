// Warnings of a real server about objects whose calls would fail.
import { beforeAll, expect, test } from 'vitest';
import { atFileEnd } from '../testing/file-end.ts';
import { startTestServer } from '../testing/running-server.ts';

let url = '';
beforeAll(async () => {
  const server = await startTestServer(['--embedded-worker', 'false']);
  atFileEnd(server.stop);
  ({ url } = server);
});

test.each([
  ['of an unknown type', { type: 'nope' }, 'is not a usable JSON Schema'],
  [
    'with a keyword of a wrong type and a pattern',
    { required: 'a', properties: { a: { pattern: '^a+$' } } },
    'is not a usable JSON Schema',
  ],
  ['that takes no empty input', { type: 'object', required: ['a'], properties: { a: { pattern: '^a+$' } } }, undefined],
])('a Tool with an input_schema %s is stored, with a Warning where no input fits', async (_what, input_schema, warning) => {
  const body = JSON.stringify({ metadata: { name: 'search' }, spec: { endpoint: 'https://tools.example/search', input_schema } });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/tools`, { method: 'POST', headers, body });
  expect(answer.status).toBeLessThan(300);
  const given = answer.headers.get('warning') ?? undefined;
  if (warning === undefined) expect(given).toBeUndefined();
  else expect(given).toContain(warning);
});
