// The reference page of svcd, from the flags that it parses.
import { SVCD_EXAMPLES } from '../config/examples.ts';
import { describeFlags, type FlagDescription } from '../config.ts';
import { code, codeBlock, codeList, GENERATED_NOTICE, page, prose, sentence, table } from './markdown.ts';

function row(flag: FlagDescription): string[] {
  const values = flag.values.length > 0 ? ` One of ${codeList(flag.values)}.` : '';
  return [code(flag.flag), code(flag.variable), code(flag.defaultText), `${sentence(prose(flag.help))}${values}`];
}

const flagTable = (flags: readonly FlagDescription[]): string => table(['Flag', 'Variable', 'Default', 'Meaning'], flags.map(row));

const examples = (command: string): string =>
  codeBlock('sh', (SVCD_EXAMPLES[command] ?? []).map((line) => line.replace('svcd ', 'npx svcd ')).join('\n'));

export function svcdPage(): string {
  const { server, worker, migrate, 'rotate-secrets': rotation, 'seal-key': sealKey, 'reset-admin': resetAdmin } = describeFlags();
  return page([
    GENERATED_NOTICE,
    '# svcd',
    'The control plane server. It holds the resources, serves the API and, unless configured otherwise, runs tasks in its own process. `svcd worker` is a process that only runs tasks, for the servers on the same PostgreSQL database.',
    examples('svcd'),
    'Every flag has a variable; the flag wins, and an empty variable counts as unset. A flag that does not exist or a value that does not fit ends the start with exit code 2 and one line that names it. Exit code 77 means that another server uses the embedded database, 78 that the database or its key is refused; a restart corrects neither. A duration is a text such as `500ms`, `30s`, `1h30m` or `30d`; durations in specs have no days. A boolean flag without a value means `true`.',
    '## Flags of svcd',
    flagTable(server),
    '## Flags of svcd worker',
    examples('svcd worker'),
    flagTable(worker),
    '## Flags of svcd migrate',
    'Brings the schema of a database up to date and ends; makes it in an empty database. Servers and workers do the same when they start: as a step of its own, an upgrade that fails leaves the old processes running. It needs no encryption key.',
    examples('svcd migrate'),
    flagTable(migrate),
    '## Flags of svcd rotate-secrets',
    'Encrypts what is stored with the newest key, while servers run, and ends. It may be run again at any time. [operations.md](../operations.md#replacing-the-key) has the steps.',
    examples('svcd rotate-secrets'),
    flagTable(rotation),
    '## Flags of svcd seal-key',
    'Prints the public key that SealedSecrets are made with, as `svcctl seal --key` reads it, and ends. Makes the key pair when the database has none. [secrets.md](../secrets.md) has the steps.',
    examples('svcd seal-key'),
    flagTable(sealKey),
    '## Flags of svcd reset-admin',
    'Gives an admin a new password, prints it once, ends the sign-ins of this user, and ends. [people.md](../people.md#lost-passwords) has the steps.',
    examples('svcd reset-admin'),
    flagTable(resetAdmin),
    '## svcd doctor',
    'Prints what the flags of a server allow, with a warning for each loose value, and checks what it can reach. It accepts every flag of svcd, writes nothing and needs no running server. Its exit code is 1 for an error, and with `--strict` for a warning.',
    examples('svcd doctor'),
    '## Variables without a flag',
    table(
      ['Variable', 'Meaning'],
      [
        [
          '`SVC_API_TOKENS`',
          'Bearer tokens as comma-separated `name:token:role` entries; with them `SVC_API_TOKEN` does not count. A malformed entry stops the start.',
        ],
      ],
    ),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      [
        ['`0`', 'It stopped as requested, or printed its help.'],
        ['`1`', 'It could not start, it failed, or a shutdown did not end in time.'],
        ['`2`', 'Wrong usage.'],
      ],
    ),
  ]);
}
