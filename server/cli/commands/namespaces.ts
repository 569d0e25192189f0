// `svcctl namespaces`: those that hold an object, and `default`.
import type { CommandSetup } from '../program/command-setup.ts';
import type { Invocation } from '../program/invocation.ts';

export const setupNamespaces: CommandSetup = (command, run) => {
  command
    .addHelpText('after', '\nA namespace is created with its first object: name it with -n.')
    .action(() => run((invocation) => listNamespaces(invocation)));
};

async function listNamespaces(invocation: Invocation): Promise<void> {
  const format = invocation.format(['table', 'json', 'name']);
  const { client } = await invocation.connect();
  const { body } = await client.send<{ namespaces: string[] }>({ method: 'GET', path: '/v1/namespaces' });
  if (format === 'name') return invocation.out(...body.namespaces);
  if (format === 'json') return invocation.out(JSON.stringify(body.namespaces, null, 2));
  invocation.table(
    ['NAMESPACE'],
    body.namespaces.map((name) => [name]),
    { wide: false, drop: [] },
  );
}
