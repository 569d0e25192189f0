// The kind McpServer.
import { defineKind } from '../define.ts';
import { mcpServerReferences, mcpServerAdminOnly, normalizeMcpServer, validateMcpServer } from './rules.ts';
import { mcpServerSpec, mcpServerStatus } from './schema.ts';

export const mcpServer = defineKind({
  kind: 'McpServer',
  plural: 'mcp-servers',
  area: 'tools',
  icon: 'Plug',
  shortNames: ['mcp-server', 'mcpservers', 'mcp'],
  description: 'A server of the Model Context Protocol; the tools it lists become Tool resources.',
  spec: mcpServerSpec,
  status: mcpServerStatus,
  phases: ['Pending', 'Connecting', 'Ready', 'Error'],
  normalize: normalizeMcpServer,
  derivedDefaults: ['isolation_mode', 'auth.headerName'],
  adminOnly: mcpServerAdminOnly,
  validate: validateMcpServer,
  references: mcpServerReferences,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'Transport', path: 'spec.transport' },
    { title: 'Tools', path: 'status.generatedTools', sort: true },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Endpoint', path: 'spec.endpoint', wide: true },
    { title: 'Last sync', path: 'status.lastSyncedAt', wide: true },
    { title: 'Last error', path: 'status.lastError', wide: true },
  ],
  fieldSelectors: ['status.phase'],
  audited: true,
  keepsVersions: true,
  nextStep: { label: 'Show tools', list: 'Tool' },
  applyOrder: 30,
});
