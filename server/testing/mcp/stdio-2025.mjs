// An MCP server over stdio with the official package of the first generation, which speaks 2025-11-25 and earlier. `grow` adds a tool while it runs.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

const server = new McpServer({ name: 'older', version: '1.0.0' });
const TEXT = /** @type {const} */ ('text');
const text = (value) => ({ content: [{ type: TEXT, text: value }] });

server.registerTool('echo', { description: 'Repeats', inputSchema: { text: z.string() } }, ({ text: said }) => text(said));
const grow = server.registerTool('grow', { description: 'Adds a tool', inputSchema: {} }, () => {
  server.registerTool('grown', { description: 'Came later', inputSchema: {} }, () => text('here'));
  grow.remove();
  return text('grown');
});
server.registerTool('slow', { description: 'Reports progress', inputSchema: {} }, async (_input, { _meta, sendNotification }) => {
  for (let progress = 1; progress <= 4; progress += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const progressToken = _meta?.progressToken ?? '';
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 4 } });
  }
  return text('done');
});
server.registerTool('picture', { description: 'An image', inputSchema: {} }, () => ({
  content: [
    { type: 'text', text: 'a dot' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ],
}));
server.registerTool('pid', { description: 'Process id', inputSchema: {} }, () => text(String(process.pid)));
server.registerTool('hang', { description: 'Never answers', inputSchema: {} }, () => new Promise(() => undefined));
server.registerTool('complain', { description: 'Writes to standard error', inputSchema: {} }, () => {
  process.stderr.write(`the token ${process.env.TOKEN ?? ''} is refused\nstill wri`);
  process.stderr.write('ting\n');
  return text('done');
});
server.registerTool('die', { description: 'Ends the program', inputSchema: {} }, () => {
  process.stderr.write('the disk is full\n');
  process.exit(3);
});
await server.connect(new StdioServerTransport());
