// Rules that many kinds share.
import { expect, test } from 'vitest';
import { normalizeModelEndpoint, validateModelEndpoint } from './model-endpoint/rules.ts';
import { normalizeTool } from './tool/normalize.ts';
import { validateTool } from './tool/rules.ts';

test('an unknown provider lists every name with its aliases and suggests the nearest', () => {
  expect(validateModelEndpoint(normalizeModelEndpoint({ provider: 'open-ai' }))).toMatchObject([
    {
      path: 'spec.provider',
      message:
        'must be one of gateway-a (openai), gateway-b (anthropic), gateway-c (azure-openai), local-runtime (ollama), mock, ' +
        'gateway-a-compatible (openai-compatible), not "open-ai"; did you mean "openai"?',
    },
  ]);
});

test('an unknown value suggests the nearest', () => {
  expect(validateTool(normalizeTool({ type: 'htp' }))[0]?.message).toMatch(/not "htp"; did you mean "http"\?$/);
});

test.each([
  ['99999999h', 'must be at most 292 years (2562047h), not "99999999h"'],
  ['soon', 'must be a duration such as 30s, 10m or 24h, not "soon"'],
])('a duration of %s says what is wrong with it', (timeout, message) => {
  expect(validateTool(normalizeTool({ type: 'http', endpoint: 'https://a.example', runtime: { timeout } }))).toEqual([
    { path: 'spec.runtime.timeout', message },
  ]);
});
