// Instructions to enable a capability, by the setting that decides it. Only for capabilities that the server reports. Pure.
import type { Outputs } from '../../live/api.ts';

export type Capability = Outputs['server']['capabilities'][number];

/** Flags that need more than their name. A key never appears in a command line, where others can read it. */
const HOW: Readonly<Record<string, string>> = {
  '--database-url': 'Start the server with --database-url postgres://user@host/db.',
  '--secret-encryption-key': 'Set SVC_SECRET_ENCRYPTION_KEY in the server’s environment to a key made with “openssl rand -hex 32”.',
  '--unisolated-cli-tools': 'Start the server with --unisolated-cli-tools admin.',
  '--tool-isolation-backend': 'Used when the engine is available, unless --tool-isolation-backend is none.',
};

/** One sentence; undefined for an enabled one. */
export function adviceFor({ enabled, source }: Capability): string | undefined {
  if (enabled) return undefined;
  if (source === 'build') return 'Not part of this version of the server. No setting switches it on.';
  return HOW[source] ?? `Start the server with ${source}.`;
}

export function byName(capabilities: readonly Capability[]): Capability[] {
  return [...capabilities].sort((a, b) => (a.id < b.id ? -1 : 1));
}
