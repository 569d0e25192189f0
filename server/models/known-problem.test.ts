// Problems of a ModelEndpoint that are reported at its write.
import { expect, test } from 'vitest';
import { normalizeModelEndpoint } from '@svc/shared/kinds/model-endpoint/rules';
import { knownModelProblem } from './known-problem.ts';

const problemOf = (spec: Parameters<typeof normalizeModelEndpoint>[0]) =>
  knownModelProblem({ namespace: 'default', name: 'm', spec: normalizeModelEndpoint(spec) }, true)?.message;

test.each([
  [{ provider: 'mock', options: { script: '- txet: hello' } }, /spec\.options\["script"\]\[0\]\.txet is unknown; known are text,/],
  [{ provider: 'mock', options: { 'agent.writer': '- cases: []' } }, /spec\.options\["agent\.writer"\]\[0\]\.cases must be a list/],
  [{ provider: 'mock', options: { script: '- text: hello', delay: '1s' } }, undefined],
  [{ provider: 'mock' }, undefined],
  [{ auth: { secretRef: 's' } }, /has no spec\.default_model, which its provider needs/],
  [{ provider: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1', allowPrivate: true }, /has no spec\.default_model/],
  [{ auth: { secretRef: 's' }, default_model: 'm' }, undefined],
] as const)('%j', (spec, message) => {
  if (message) expect(problemOf(spec)).toMatch(message);
  else expect(problemOf(spec)).toBeUndefined();
});
