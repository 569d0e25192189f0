// Loads the SQLite engine: Node's own where it exists, else the prebuilt package with the same interface. Knows no schema.
import { createRequire } from 'node:module';
import type { DatabaseSync as DatabaseSyncClass } from '@photostructure/sqlite';

export type Database = InstanceType<typeof DatabaseSyncClass>;
type Driver = { readonly DatabaseSync: new (path: string) => Database };

const require = createRequire(import.meta.url);

function loadDriver(): Driver {
  try {
    return require('node:sqlite') as Driver;
  } catch {
    return require('@photostructure/sqlite') as Driver;
  }
}

const driver = loadDriver();

/** Opens (or creates) a database file. Throws the driver's error. */
export function openDatabase(path: string): Database {
  return new driver.DatabaseSync(path);
}
