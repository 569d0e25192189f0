// Password hashes by argon2id on the threads of libuv: a few at once, a short queue behind them, the rest is refused.
import { ServiceError } from '@svc/shared/errors';

/** First recommendation of the OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. Argon2id is the default algorithm of the library. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Node has four such threads, and the file system and DNS need them too. */
const AT_ONCE_MAX = 2;
/** About a second of work. */
const WAITING_MAX = 64;

/** Hash of random bytes, with the parameters above: a name without a user costs the same work. */
const HASH_OF_NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$LGVXMrZph2idU3myW4sg0A$xN+nLFVgstrem2I+Ulr4HoF/dQsX4iwq/tdwSvZBvlU';

export interface PasswordHasher {
  /** In the PHC string format, with a salt of its own. Throws `unavailable` when too many wait. */
  hash(password: string): Promise<string>;
  /** Costs the same with and without a hash; returns false without one. Throws `unavailable` when too many wait. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
}

/** Composed and decomposed letters are the same password on every keyboard. Lone surrogates have no UTF-8; the library would refuse them. */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFC'), 'utf8');

/** Loaded when the first password comes: servers without users never load the addon. */
const library = () => import('@node-rs/argon2');

class BoundedHasher implements PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  hash(password: string): Promise<string> {
    return this.#inTurn(async () => (await library()).hash(bytesOf(password), PARAMETERS));
  }

  verify(hash: string | undefined, password: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const { verify } = await library();
      const matches = await verify(hash ?? HASH_OF_NOBODY, bytesOf(password));
      return matches && hash !== undefined;
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE_MAX) {
      if (this.#waiting.length >= WAITING_MAX)
        throw new ServiceError('unavailable', 'Too many passwords are being checked; try again in a moment', { retryAfterSeconds: 1 });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

export function createPasswordHasher(): PasswordHasher {
  return new BoundedHasher();
}
