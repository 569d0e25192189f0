// Hook of McpServers on the write path: generated Tools that have lost the mark of their server are deleted with it.
import { MCP_SERVER_OWNER } from '@svc/shared/generated-objects';
import { statusOf } from '@svc/shared/kinds/read';
import { partIdentity } from '../../registry/principal.ts';
import type { KindHooks, Registry, RequestContext } from '../../registry/registry.ts';
import { allOf } from '../../store/all-of.ts';
import { isOwned } from './plan.ts';

const CONTEXT: RequestContext = { identity: partIdentity('controllers'), requestId: 'mcp-sync' };
const TOOL = 'Tool';

/** The controller removes Tools by their label. A Tool without it may also be one that was applied before its server: the status of the server decides. */
export function createMcpServerHooks(registry: () => Pick<Registry, 'within'>): KindHooks {
  return {
    async onDeleted(tx, server) {
      const { namespace, name } = server.metadata;
      const { generatedTools = [] } = statusOf('McpServer', server);
      const tools = await allOf(generatedTools.map((tool) => tx.getObject({ kind: TOOL, namespace, name: tool })));
      for (const tool of tools) {
        if (!tool || !isOwned(tool, name) || tool.labels[MCP_SERVER_OWNER] === name) continue;
        await registry().within(tx).remove(CONTEXT, { kind: TOOL, namespace, name: tool.name, uid: tool.uid });
      }
    },
  };
}
