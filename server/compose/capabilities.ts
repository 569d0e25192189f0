// What GET /v1/capabilities says of a deployment.
import type { Config } from '../config.ts';
import type { Capability } from '../http/services.ts';

const built = (id: string, description: string, enabled = true): Capability => ({ id, description, enabled, source: 'build' });

export function capabilitiesOf(config: Config): Capability[] {
  return [
    built('resources', 'All kinds can be stored, listed and watched.'),
    built('tasks', 'Tasks run on leased workers with a durable journal.'),
    { id: 'embedded-worker', enabled: config.embeddedWorker, description: 'This process runs tasks.', source: '--embedded-worker' },
    {
      id: 'secret-encryption',
      enabled: config.secretEncryptionKey !== undefined,
      description: 'Secret values are encrypted at rest.',
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
    built('approvals', 'Tool and task approvals pause runs.', false),
    built('sessions', 'Sessions run turns.', false),
    built('triggers', 'Schedules and webhooks start runs.', false),
    built('a2a', 'Agent-to-agent calls.', false),
    built('mcp', 'Tools imported from MCP servers.', false),
    built('console', 'The web console.', false),
  ];
}
