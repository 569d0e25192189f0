// Shapes of McpServer: a server whose tools are imported as Tool resources.
import { z } from 'zod';
import { commonStatus, duration, group, integer, listOf, names, requiredText, text } from '../fields.ts';

export const MCP_TRANSPORTS = ['stdio', 'http'] as const;
export const MCP_PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const MCP_AUTH_PROFILES = ['bearer', 'api_key_header'] as const;
export const MCP_ISOLATION_MODES = ['sandboxed', 'container'] as const;

export const mcpServerSpec = z.strictObject({
  transport: requiredText('How the server is reached: a child process or HTTP.', { values: MCP_TRANSPORTS }),
  command: text('Program to start. Required by stdio; with image, the program of the image is the default.'),
  args: names('Arguments of the program.'),
  image: text('Container image that a stdio program runs in; without it the program runs on the machine of the process.'),
  image_pull_secret: text('Secret with the login of a private registry. Needs image.', { format: 'ref:Secret' }),
  isolation_mode: text('Constraints of the container, as those of a Tool of type cli. Needs image.', {
    defaultText: 'sandboxed',
    values: MCP_ISOLATION_MODES,
  }),
  network: text('Container network of isolation_mode container; default: the network that the operator has set.'),
  env: listOf(
    'The environment of the program; it gets these variables and no others. Launchers such as npx and uvx need PATH.',
    z.strictObject({
      name: requiredText('Name of the variable.'),
      value: text('Its literal value; not together with secretRef.'),
      secretRef: text('Secret that holds its value; not together with value.', { format: 'ref:Secret' }),
    }),
  ),
  endpoint: text('URL of the server. Required by http.'),
  protocol_version: text('The one protocol revision to speak, such as 2025-11-25; without it the newest that both sides know.', {
    values: MCP_PROTOCOL_VERSIONS,
  }),
  auth: group('Credentials for http.', {
    secretRef: text('Secret with the token.', { format: 'ref:Secret' }),
    profile: text('How the token is sent.', { defaultText: 'bearer', values: MCP_AUTH_PROFILES }),
    headerName: text('Header of profile api_key_header.', { defaultText: 'X-API-Key' }),
  }),
  tool_filter: group('Which tools are imported.', { include: names('Names of the tools to import; none means all.') }),
  reconnect: group('What happens when the connection is lost.', {
    max_attempts: integer('Attempts before the phase becomes Error.', { defaultText: '3' }),
    backoff: duration('Wait between attempts.', { defaultText: '2s' }),
  }),
});

export const mcpServerStatus = z.strictObject({
  ...commonStatus,
  discoveredTools: names('Tools the server lists.'),
  generatedTools: names('Tool resources made from them.', { format: 'ref:Tool' }),
  stricterTools: names(
    'Tools that keep their operation class or risk although the server now describes them as less dangerous. Write both fields of the Tool to accept that.',
    { format: 'ref:Tool' },
  ),
  removedTools: listOf(
    'Governance of Tools that the server no longer lists: it applies again when they return.',
    z.strictObject({
      name: text('Name of the Tool.', { format: 'ref:Tool' }),
      operation_classes: names('Operation classes when it was removed.'),
      risk_level: text('Risk when it was removed.'),
      derived: text('The operation class and risk last derived from hints of the server, as write/high.'),
    }),
  ),
  lastSyncedAt: text('When the list was last read.', { format: 'date-time' }),
  protocolVersion: text('Protocol revision of the connection.'),
  stderrTail: text('The last 64 KiB that the program of a stdio server wrote to its standard error.'),
});

export type WrittenMcpServerSpec = z.infer<typeof mcpServerSpec>;
export type McpServerStatus = z.infer<typeof mcpServerStatus>;
