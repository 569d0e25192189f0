import { expect, test } from 'vitest';
import { parseInvocation, type Config } from '../config.ts';
import { capabilitiesOf } from './capabilities.ts';

function configOf(...argv: string[]): Config {
  const invocation = parseInvocation(argv, {});
  if (invocation.kind !== 'serve') throw new Error(JSON.stringify(invocation));
  return invocation.config;
}

test.each([
  [configOf(), true, true, 'at the root of this address'],
  [configOf(), false, false, 'npm run build'],
  [configOf('--ui', 'false'), true, false, 'at the root of this address'],
])('the console is available when it is enabled and built', (config, built, enabled, description) => {
  const found = capabilitiesOf(config, { backends: undefined, consoleBuilt: built, terminalsUnavailable: undefined }).find(
    ({ id }) => id === 'console',
  );
  expect(found).toEqual({ id: 'console', enabled, description: expect.stringContaining(description), source: '--ui' });
});
