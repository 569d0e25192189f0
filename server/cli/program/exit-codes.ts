// How svcctl ends: the exit codes (documented in `svcctl --help`) and the error that carries one.
import type { Hint } from './program-name.ts';

export const EXIT = {
  ok: 0,
  /** The server refused, the run ended Failed or DeadLetter, a manifest is invalid, or diff found differences. */
  failed: 1,
  usage: 2,
  /** Also a 502, 503 or 504: a later try may succeed. */
  unreachable: 3,
  /** Not signed in (401) or not allowed (403). */
  denied: 4,
  notFound: 5,
  timedOut: 6,
  /** `auth can-i`: the call would wait for a person. */
  needsApproval: 7,
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP = `Exit codes:
  0    done
  1    failed: refused by the server, a run that ended Failed or DeadLetter,
       a turn that failed or was cancelled,
       an invalid manifest, "no" from auth can-i, differences found by diff
  2    wrong usage; diff that failed
  3    the server cannot be reached, or has no answer now
       (502, 503, 504)
  4    not signed in, or not allowed
  5    the object does not exist
  6    timed out waiting
  7    a person has to approve first ("svcctl auth can-i")
  130  interrupted`;

/** An error to show as `error: …` and, when there is something to do about it, `hint: …`. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly hint: Hint | undefined;

  constructor(message: string, options: { exitCode?: number; hint?: Hint | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.hint = options.hint;
  }
}

/** The command line itself is wrong. */
export function usageError(message: string, hint?: Hint): CliError {
  return new CliError(message, { exitCode: EXIT.usage, hint });
}

/** Exit code 1 of a comparison says that there are differences; a failure has a different code. */
export async function comparison(result: Promise<number>): Promise<number> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.failed) throw error;
    throw new CliError(error.message, { exitCode: EXIT.usage, hint: error.hint, cause: error });
  }
}
