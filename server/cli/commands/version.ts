// `svcctl version`: of this program, and of the server when there is one.
import type { CommandSetup } from '../program/command-setup.ts';
import { CliError } from '../program/exit-codes.ts';
import { installedVersion } from '../../installation.ts';
import type { Invocation } from '../program/invocation.ts';

export const setupVersion: CommandSetup = (command, run) => {
  command
    .option('--client', 'only the version of svcctl')
    .action((options) => run((invocation) => version(invocation, options.client === true)));
};

async function serverVersion(invocation: Invocation): Promise<string | undefined> {
  const { client } = await invocation.connect();
  try {
    const { body } = await client.send<{ version?: string }>({ method: 'GET', path: '/v1/capabilities' });
    return body.version;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    invocation.note(`server: not known (${error.message})`);
    return undefined;
  }
}

async function version(invocation: Invocation, clientOnly: boolean): Promise<void> {
  const format = invocation.format(['table', 'json']);
  const client = installedVersion();
  const server = clientOnly ? undefined : await serverVersion(invocation);
  if (format === 'json') return invocation.out(JSON.stringify({ svcctl: client, ...(server !== undefined && { server }) }));
  invocation.out(`svcctl ${client}`, ...(server === undefined ? [] : [`server ${server}`]));
}
