// An MCP server over stdio with the official server package of the second generation: it answers both eras.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    'delete_all',
    { description: 'Deletes all notes', inputSchema: z.object({}), annotations: { destructiveHint: true } },
    () => ({ content: [{ type: 'text', text: 'nothing was deleted' }], isError: true }),
  );
  server.registerTool('environment', { description: 'Names its variables', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: JSON.stringify(process.env) }],
  }));
  return server;
});
