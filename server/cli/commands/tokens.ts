// `svcctl tokens`: API tokens kept by the server. A token is shown once, when it is made.
import { Option } from '@commander-js/extra-typings';
import { collect, type CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import type { Invocation } from '../program/invocation.ts';
import { age } from '../output/time.ts';
import { everyPage, nameSegment } from '../api/resource-api.ts';

const ROLES = ['reader', 'approver', 'writer', 'admin', 'a2a'] as const;

interface TokenRecord {
  readonly name: string;
  readonly role: string;
  readonly created_at: string;
  readonly a2a_agent_systems?: readonly string[];
}

export const setupTokens: CommandSetup = (command, run) => {
  command
    .command('create <name>')
    .description('create a token and print it once; admin only')
    .addOption(new Option('--role <role>', 'role of the token').choices(ROLES).makeOptionMandatory())
    .option('--system <namespace/name>', 'with role a2a: a system it may invoke; may be repeated', collect)
    .addHelpText('after', '\nThe first stored token turns authentication on:\nmake an admin token first, and keep it.')
    .action((name, options) => run((invocation) => create(invocation, name, options)));
  command
    .command('list')
    .description('list tokens (never their values)')
    .action(() => run(list));
  command
    .command('delete <name>')
    .description('revoke a token')
    .action((name) => run((invocation) => remove(invocation, name)));
};

async function create(
  invocation: Invocation,
  name: string,
  options: { role: string; system?: readonly string[] | undefined },
): Promise<void> {
  if (options.role === 'a2a' && !options.system)
    throw usageError('role a2a needs at least one --system', 'such as --system default/support');
  if (options.role !== 'a2a' && options.system) throw usageError('--system goes with role a2a only');
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'json']);
  const body = { name, role: options.role, ...(options.system && { a2a_agent_systems: options.system }) };
  const created = (await client.send<TokenRecord & { token: string }>({ method: 'POST', path: '/v1/tokens', body })).body;
  if (format === 'json') return invocation.out(JSON.stringify(created, null, 2));
  invocation.note(`Token ${created.name} (${created.role}). It is shown only once:`);
  invocation.out(created.token);
}

async function list(invocation: Invocation): Promise<void> {
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'wide', 'json', 'name']);
  const items = await everyPage<TokenRecord>(client, '/v1/tokens');
  if (format === 'json') return invocation.out(JSON.stringify(items, null, 2));
  if (format === 'name') return invocation.out(...items.map((token) => token.name));
  if (items.length === 0) return invocation.note('No stored tokens.');
  const rows = items.map((token) => [token.name, token.role, token.a2a_agent_systems?.join(',') || '-', age(token.created_at, Date.now())]);
  invocation.table(['NAME', 'ROLE', 'SYSTEMS', 'AGE'], rows, { wide: format === 'wide', drop: ['SYSTEMS'] });
}

async function remove(invocation: Invocation, name: string): Promise<void> {
  const { client } = await invocation.connect();
  await client.send({ method: 'DELETE', path: `/v1/tokens/${nameSegment(name)}` });
  invocation.out(`token/${name} deleted`);
}
