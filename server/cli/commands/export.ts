// `svcctl export`: everything that people declared, as one YAML file that `svcctl apply` takes on another server.
import { resolve } from 'node:path';
import type { CommandSetup } from '../program/command-setup.ts';
import type { Invocation } from '../program/invocation.ts';
import { unwritable } from '../program/terminal.ts';
import { writeWhole } from '../program/write-whole.ts';

export const setupExport: CommandSetup = (command, run) => {
  command
    .option('--all', 'all namespaces, as with -A')
    .option('--file <path>', 'write to this file; without it, to standard output')
    .action((options) => run((invocation) => exportObjects(invocation, options)));
};

interface ExportOptions {
  readonly all?: true | undefined;
  readonly file?: string | undefined;
}

async function exportObjects(invocation: Invocation, { all, file }: ExportOptions): Promise<void> {
  const { client, namespace } = await invocation.connect();
  const text = await client.sendForText({
    method: 'GET',
    path: '/v1/export',
    query: { namespace: all || invocation.allNamespaces ? '*' : namespace },
    accept: 'application/yaml',
  });
  if (file === undefined) return invocation.out(text.trimEnd());
  await writeWhole(resolve(invocation.terminal.cwd, file), text, 0o600).catch((cause: unknown) => {
    throw unwritable(file, cause);
  });
  invocation.note(`${file}: ${text.split('\n', 1)[0]?.replace(/^# /, '') ?? ''}`);
}
