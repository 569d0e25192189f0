// Loads the SQLite engine: Node's own where it exists, else the prebuilt package with the same interface. Knows no schema.
import { createRequire } from 'node:module';
import type { DatabaseSync as DatabaseSyncClass } from '@photostructure/sqlite';

export type Database = InstanceType<typeof DatabaseSyncClass>;
type Driver = { readonly DatabaseSync: { new (path: string): Database; readonly prototype: Database } };

const require = createRequire(import.meta.url);

function loadBuiltIn(): Driver | undefined {
  try {
    return require('node:sqlite') as Driver;
  } catch {
    return undefined;
  }
}

function loadDriver(): Driver {
  const builtIn = loadBuiltIn();
  // Early versions of Node's own cannot say whether a transaction is open, which failed commits depend on.
  if (builtIn && 'isTransaction' in builtIn.DatabaseSync.prototype) return builtIn;
  return require('@photostructure/sqlite') as Driver;
}

const driver = loadDriver();

/** Opens (or creates) a database file. Throws the driver's error. */
export function openDatabase(path: string): Database {
  return new driver.DatabaseSync(path);
}
