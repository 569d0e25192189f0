// What to do to switch a capability on, by what decides it. Only for what the server reports. Pure.

export interface Capability {
  readonly id: string;
  readonly enabled: boolean;
  readonly description: string;
  readonly source: string;
}

/** Flags whose value is more than a switch. */
const VALUES: Readonly<Record<string, string>> = {
  '--database-url': 'postgres://user@host/db',
  '--secret-encryption-key': 'KEY (or SVC_SECRET_ENCRYPTION_KEY in the environment, which keeps it out of process lists)',
  '--unisolated-cli-tools': 'admin',
  '--tool-isolation-backend': 'docker',
};

/** One sentence; undefined for what is on. */
export function adviceFor({ enabled, source }: Capability): string | undefined {
  if (enabled) return undefined;
  if (source === 'build') return 'Not part of this version of the server. No setting switches it on.';
  const value = VALUES[source];
  return `Start the server with ${source}${value === undefined ? '' : ` ${value}`}.`;
}

/** What is on first, then by name. */
export function inOrder(capabilities: readonly Capability[]): Capability[] {
  return [...capabilities].sort((a, b) => Number(b.enabled) - Number(a.enabled) || (a.id < b.id ? -1 : 1));
}
