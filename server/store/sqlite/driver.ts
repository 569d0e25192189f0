// Loads the SQLite engine: Node's own where it exists, else the prebuilt package with the same interface. Independent of any schema.
import { createRequire } from 'node:module';
import type { DatabaseSync as DatabaseSyncClass } from '@photostructure/sqlite';

export type Database = InstanceType<typeof DatabaseSyncClass>;
type Driver = { readonly DatabaseSync: new (path: string) => Database };

// Not named `require`: builds of the desktop app declare that name in the same scope.
const requireModule = createRequire(import.meta.url);

/** Node 22 warns that its engine is experimental. The store passes its conformance suite on it, and an operator can do nothing about it. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const original = Object.getOwnPropertyDescriptor(process, 'emitWarning') ?? {};
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const filtered = (...args: unknown[]) => {
    if (!args.includes('ExperimentalWarning')) emit(...args);
  };
  process.emitWarning = filtered;
  try {
    return load();
  } finally {
    Object.defineProperty(process, 'emitWarning', original);
  }
}

function loadBuiltIn(): Driver | undefined {
  try {
    return withoutExperimentalWarning(() => requireModule('node:sqlite') as Driver);
  } catch {
    return undefined;
  }
}

/** Early versions of Node's own cannot say whether a transaction is open, which failed commits depend on. The property is on instances. */
function tellsTransactions({ DatabaseSync }: Driver): boolean {
  const probe = new DatabaseSync(':memory:');
  try {
    return 'isTransaction' in probe;
  } finally {
    probe.close();
  }
}

function loadDriver(): Driver {
  const builtIn = loadBuiltIn();
  return builtIn && tellsTransactions(builtIn) ? builtIn : (requireModule('@photostructure/sqlite') as Driver);
}

const driver = loadDriver();

/** Opens (or creates) a database file. Throws the driver's error. */
export function openDatabase(path: string): Database {
  return new driver.DatabaseSync(path);
}
