// An MCP server over stdio with as many tools as its argument says. `grow` adds one while it runs.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

const server = new McpServer({ name: 'many', version: '1.0.0' });
const TEXT = /** @type {const} */ ('text');
const text = (value) => ({ content: [{ type: TEXT, text: value }] });
const inputSchema = { text: z.string().describe('Text to repeat'), times: z.number().int().optional() };
const add = (name) => server.registerTool(name, { description: `Repeats a text, as ${name}`, inputSchema }, ({ text: said }) => text(said));

for (let index = 2; index <= Number(process.argv[2]); index += 1) add(`tool${index}`);
let grown = 0;
server.registerTool('grow', { description: 'Adds a tool', inputSchema: {} }, () => {
  grown += 1;
  add(`grown${grown}`);
  return text('grown');
});
await server.connect(new StdioServerTransport());
