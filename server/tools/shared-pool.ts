// Connections that calls share: one per key, a bounded number in all, closed when nobody has used them for a while. Independent of any protocol.

const OPEN_MAX = 64;
const IDLE_MS = 60_000;
/** Maximum age of a connection; a new one resolves and checks its host's name again. */
const AGE_MAX_MS = 300_000;

export interface SharedPool<T> {
  /**
   * Runs `use` with the connection of `key`, opened when there is none. `drop` gives it up for later calls, such as when it is broken;
   * it is closed when its last user is done.
   */
  with<R>(key: string, open: () => Promise<T>, use: (connection: T, drop: () => void) => Promise<R>): Promise<R>;
  /** Closes what nobody uses, and the rest with its last user. Idempotent. */
  close(): Promise<void>;
}

interface SharedConnection<T> {
  readonly connection: T;
  readonly openedAt: number;
  users: number;
  dropped: boolean;
  idleTimer?: NodeJS.Timeout;
}

/** `closeOne` must not reject. `usable` finds connections that have ended while nobody used them. */
export function createSharedPool<T>(
  closeOne: (connection: T) => Promise<void>,
  usable: (connection: T) => boolean = () => true,
): SharedPool<T> {
  const pool = new Map<string, SharedConnection<T>>();

  const drop = async (key: string, shared: SharedConnection<T>): Promise<void> => {
    clearTimeout(shared.idleTimer);
    if (pool.get(key) === shared) pool.delete(key);
    if (shared.dropped) return;
    shared.dropped = true;
    if (shared.users === 0) await closeOne(shared.connection);
  };
  /** Counts the caller before anybody else gets a turn, so that nobody closes what it is about to use. */
  const taken = (key: string, shared: SharedConnection<T>): SharedConnection<T> => {
    clearTimeout(shared.idleTimer);
    shared.users += 1;
    // The newest goes to the end: what was used last long ago is closed first.
    pool.delete(key);
    pool.set(key, shared);
    return shared;
  };
  const take = async (key: string, open: () => Promise<T>): Promise<SharedConnection<T>> => {
    const known = pool.get(key);
    if (known && performance.now() - known.openedAt < AGE_MAX_MS && usable(known.connection)) return taken(key, known);
    if (known) void drop(key, known);
    const connection = await open();
    const other = pool.get(key);
    if (other) {
      void closeOne(connection);
      return taken(key, other);
    }
    const shared = taken(key, { connection, openedAt: performance.now(), users: 0, dropped: false });
    const surplus = pool.size > OPEN_MAX ? [...pool].find(([, { users }]) => users === 0) : undefined;
    if (surplus) void drop(...surplus);
    return shared;
  };
  const release = async (key: string, shared: SharedConnection<T>): Promise<void> => {
    shared.users -= 1;
    if (shared.users > 0) return;
    if (shared.dropped) return closeOne(shared.connection);
    if (pool.size > OPEN_MAX) return drop(key, shared);
    shared.idleTimer = setTimeout(() => void drop(key, shared), IDLE_MS).unref();
  };

  return {
    async with(...[key, open, use]) {
      const shared = await take(key, open);
      try {
        return await use(shared.connection, () => void drop(key, shared));
      } finally {
        await release(key, shared);
      }
    },
    async close() {
      await Promise.all([...pool].map(([key, shared]) => drop(key, shared)));
    },
  };
}
