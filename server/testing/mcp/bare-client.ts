// The official MCP client alone, without the pipeline: the reference of the bench.
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';

export function bareHttpClient(url: string, token: string): Promise<Client> {
  return connected(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
}

export function bareStdioClient(program: StdioServerParameters): Promise<Client> {
  return connected(new StdioClientTransport(program));
}

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  return client;
}
