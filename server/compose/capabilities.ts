// Content of GET /v1/capabilities for a deployment.
import type { Config } from '../config.ts';
import type { Capability } from '../http/services.ts';
import { ENGINE_MODES } from '../tools/isolation/isolation.ts';
import type { BackendState } from '../tools/isolation/isolation-health.ts';

const built = (id: string, description: string): Capability => ({ id, description, enabled: true, source: 'build' });

export interface CapabilityParts {
  /** Backends of the worker in this process; undefined without one. */
  readonly backends: readonly BackendState[] | undefined;
  readonly consoleBuilt: boolean;
  /** Reason why no terminal can be opened; undefined when one can. */
  readonly terminalsUnavailable: string | undefined;
}

export function capabilitiesOf(config: Config, { backends, consoleBuilt, terminalsUnavailable }: CapabilityParts): Capability[] {
  return [
    built('resources', 'All kinds can be stored, listed and watched.'),
    built('tasks', 'Tasks run on leased workers with a durable journal.'),
    { id: 'embedded-worker', enabled: config.embeddedWorker, description: 'This process runs tasks.', source: '--embedded-worker' },
    {
      id: 'secret-encryption',
      enabled: config.secretEncryptionKeys.length > 0,
      description: 'Secret values are encrypted at rest.',
      source: '--secret-encryption-key',
    },
    {
      id: 'sealed-secrets',
      enabled: config.secretEncryptionKeys.length > 0,
      description: 'SealedSecrets become Secrets.',
      source: '--secret-encryption-key',
    },
    {
      id: 'private-tool-endpoints',
      enabled: config.tools.allowPrivateEndpoints,
      description: 'Tools may reach loopback and private addresses.',
      source: '--allow-private-tool-endpoints',
    },
    {
      id: 'postgresql',
      enabled: config.database.kind === 'postgres',
      description: 'Shared state in PostgreSQL: many servers and workers side by side.',
      source: '--database-url',
    },
    ...isolationOf(config, backends),
    built('approvals', 'Tool and task approvals pause runs.'),
    built('sessions', 'Sessions run turns.'),
    built('triggers', 'Schedules and webhooks start runs.'),
    built('a2a', 'Agent-to-agent calls.'),
    built('mcp', 'Tools imported from MCP servers.'),
    consoleOf(config, consoleBuilt),
    terminalOf(terminalsUnavailable),
  ];
}

function consoleOf({ ui }: Config, isBuilt: boolean): Capability {
  const description =
    ui && !isBuilt ? 'The web console is not built: npm run build makes it.' : 'The web console, at the root of this address.';
  return { id: 'console', enabled: ui && isBuilt, description, source: '--ui' };
}

function terminalOf(unavailable: string | undefined): Capability {
  const description =
    unavailable === undefined ? 'Admins open terminals in the console: shells on the machine of the server.' : `${unavailable}.`;
  return { id: 'terminal', enabled: unavailable === undefined, description, source: '--enable-terminal' };
}

const FLAGS = { docker: '--tool-isolation-backend', kubernetes: '--enable-kubernetes-isolation' } as const;
const ELSEWHERE = 'no tools run in this process; status.isolation of each Worker says what it has';

/** One entry for each way to isolate tools, and one for the way without. */
function isolationOf(config: Config, backends: readonly BackendState[] | undefined): Capability[] {
  const engines = (['docker', 'kubernetes'] as const).map((backend): Capability => {
    const state = backends?.find((candidate) => candidate.backend === backend);
    const why = state?.message ?? (backends ? 'it has not been checked yet' : ELSEWHERE);
    const modes = ENGINE_MODES[backend].join(' or ');
    const description = state?.available
      ? `Tools with isolation mode ${modes} run here: ${state.engine ?? 'the engine'} answers.`
      : `Tools with isolation mode ${modes} cannot run here: ${why}.`;
    return { id: `isolation-${backend}`, enabled: state?.available === true, description, source: FLAGS[backend] };
  });
  const unisolated: Capability = {
    id: 'isolation-none',
    enabled: config.tools.unisolatedCli === 'admin',
    description: 'Commands that an admin declared with isolation_mode none run as processes of the worker.',
    source: '--unisolated-cli-tools',
  };
  return [...engines, built('isolation-wasm', 'WebAssembly modules run in a sandbox of their own.'), unisolated];
}
