// Commands of svcd that work on a database and end: migrate, rotate-secrets, seal-key, reset-admin.
import type { Command } from 'commander';
import type { DatabaseConfig } from '../config.ts';
import { flagTable } from './flag-table.ts';
import { migrateFlags, resetAdminFlags, rotationFlags, sealKeyFlags } from './flags.ts';
import { databaseUrlProblem, newCommand, parseCommand, type CommandLine, type Refusal } from './parse-command.ts';

interface DatabaseAccess {
  readonly database: DatabaseConfig;
  /** Newest first; at least one where the command needs a key. */
  readonly secretEncryptionKeys: readonly string[];
}

export interface RotationConfig extends DatabaseAccess {
  readonly adoptUnsealed: boolean;
}

export interface SealKeyConfig extends DatabaseAccess {
  readonly replace: boolean;
}

export interface ResetAdminConfig extends Pick<DatabaseAccess, 'database'> {
  readonly username: string;
}

export type MigrateConfig = Pick<DatabaseAccess, 'database'>;

export type MaintenanceConfig =
  | ({ readonly name: 'migrate' } & MigrateConfig)
  | ({ readonly name: 'rotate-secrets' } & RotationConfig)
  | ({ readonly name: 'seal-key' } & SealKeyConfig)
  | ({ readonly name: 'reset-admin' } & ResetAdminConfig);
export type MaintenanceName = MaintenanceConfig['name'];

interface Options {
  readonly databaseUrl: string | undefined;
  readonly databaseMaxConnections: number;
  readonly dataDir: string;
  readonly secretEncryptionKey?: readonly string[];
  readonly username?: string | undefined;
  readonly adoptUnsealed?: boolean;
  readonly replace?: boolean;
}

function migrateCommand(): Command {
  const command = newCommand('svcd migrate', 'Brings the schema of a database up to date and ends; makes it in an empty database');
  migrateFlags(flagTable(command));
  return command.addHelpText(
    'after',
    '\nServers and workers do the same when they start. Several at once wait for each other.\n' +
      'On PostgreSQL, processes of the version before continue to run; at their next start they are refused.',
  );
}

function rotateCommand(): Command {
  const command = newCommand('svcd rotate-secrets', 'Encrypts what is stored with the newest key, while servers run');
  rotationFlags(flagTable(command));
  return command.addHelpText(
    'after',
    '\nGive SVC_SECRET_ENCRYPTION_KEY the new key first, then those in use. On PostgreSQL every server and worker needs the same list before.\n' +
      'A server on an embedded database does this itself when it starts with the new key first.',
  );
}

function sealKeyCommand(): Command {
  const command = newCommand(
    'svcd seal-key',
    'Prints the public key that SealedSecrets are made with; makes the key pair when there is none',
  );
  sealKeyFlags(flagTable(command));
  return command.addHelpText(
    'after',
    '\nThe embedded database of a running server is in use: ask that server, GET /v1/sealing-key/public.',
  );
}

function resetAdminCommand(): Command {
  const command = newCommand('svcd reset-admin', 'Gives an admin a new password, prints it once and ends the sign-ins of this user');
  resetAdminFlags(flagTable(command));
  return command.addHelpText(
    'after',
    '\nOn PostgreSQL servers may run. An embedded database is in use while its server runs: stop it first.',
  );
}

/** How each is declared, and what its message about a missing key says after "is required: "; commands without it need none. */
export const MAINTENANCE = {
  migrate: { command: migrateCommand, keyIs: undefined },
  'rotate-secrets': { command: rotateCommand, keyIs: 'the new key first, then those in use' },
  'seal-key': { command: sealKeyCommand, keyIs: 'it encrypts the private half of the sealing key' },
  'reset-admin': { command: resetAdminCommand, keyIs: undefined },
} as const satisfies Record<MaintenanceName, { readonly command: () => Command; readonly keyIs: string | undefined }>;

export const isMaintenance = (name: string | undefined): name is MaintenanceName => Object.hasOwn(MAINTENANCE, name ?? '');

export function parseMaintenance(name: MaintenanceName, given: CommandLine): Refusal | { readonly config: MaintenanceConfig } {
  const { command, keyIs } = MAINTENANCE[name];
  const parsed = parseCommand<Options>(command(), given, (options) => {
    if (keyIs !== undefined && !options.secretEncryptionKey?.length) return `option '--secret-encryption-key' is required: ${keyIs}`;
    if (name === 'reset-admin' && !options.username) return "option '--username' is required: the name of the admin";
    return databaseUrlProblem(options.databaseUrl);
  });
  if ('text' in parsed) return parsed;
  const { databaseUrl: url, databaseMaxConnections: maxConnections, dataDir, adoptUnsealed = false, replace = false } = parsed.options;
  const database: DatabaseConfig = url ? { kind: 'postgres', url, maxConnections } : { kind: 'embedded', dataDir };
  if (name === 'migrate') return { config: { name, database } };
  if (name === 'reset-admin') return { config: { name, database, username: parsed.options.username ?? '' } };
  const access = { database, secretEncryptionKeys: parsed.options.secretEncryptionKey ?? [] };
  return { config: name === 'rotate-secrets' ? { name, ...access, adoptUnsealed } : { name, ...access, replace } };
}
