// The reading of an object as a terminal command.
import { expect, test } from 'vitest';
import { curlGet, svcctlGet } from './object-commands.ts';

const agent = { plural: 'agents', namespace: 'ops', name: 'billing' };

test('an object is read by svcctl, and over HTTP with the token of the environment', () => {
  expect(svcctlGet(agent)).toBe('npx svcctl -n ops get agents billing -o yaml');
  expect(curlGet(agent, 'http://h:1')).toBe(
    `curl -sS 'http://h:1/v1/agents/billing?namespace=ops' \\\n  \${SVCCTL_API_TOKEN:+-H "authorization: Bearer $SVCCTL_API_TOKEN"}`,
  );
});
