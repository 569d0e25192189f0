// Readiness of this process, check by check. The code that starts the parts passes the checks in.
import { ServiceError } from '@svc/shared/errors';
import { within } from '../clock.ts';

export interface ReadinessCheck {
  /** One word that people and monitors see: `store`, `worker`. */
  readonly name: string;
  /** Throws when the part cannot do its work; the message of a ServiceError is shown to the client. */
  readonly check: () => Promise<void> | void;
}

interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** One sentence; there when the check failed. */
  readonly message?: string;
}

export interface ReadinessReport {
  readonly status: 'ok' | 'unavailable';
  readonly checks: readonly CheckResult[];
}

/** Check behind `/readyz`: a report, nothing when all is well, or a rejection. */
export type CheckReady = () => Promise<ReadinessReport | void>;

export interface ReadinessOptions {
  /** Called for failures whose message must not be shown; the answer says only that the check failed. */
  readonly reportError: (error: unknown, check: string) => void;
  /** A check without an answer by then has failed. Default 2 s, and 2.5 s for all checks together. */
  readonly timeoutMs?: number;
}

/** How long one check may take. */
const CHECK_TIMEOUT_MS = 2_000;
/** Longest wait of a client: past every check's own time, so that the answer names the check that is late. */
const READY_TIMEOUT_MS = 2_500;

/** All checks at once, each within its time. Never rejects. */
export function createReadiness(checks: readonly ReadinessCheck[], options: ReadinessOptions): () => Promise<ReadinessReport> {
  return async () => reportOf(await Promise.all(checks.map((check) => runCheck(check, options))));
}

/** Runs any CheckReady and returns a report within `timeoutMs` (default 2.5 s); a rejection counts as a failed check called `server`. Never rejects. */
export async function collectReadiness(checkReady: CheckReady, options: ReadinessOptions): Promise<ReadinessReport> {
  let report: ReadinessReport | undefined;
  const check = async () => {
    report = (await checkReady()) ?? undefined;
  };
  const asked = await runCheck({ name: 'server', check }, { timeoutMs: READY_TIMEOUT_MS, ...options });
  return asked.ok ? (report ?? { status: 'ok', checks: [] }) : reportOf([asked]);
}

function reportOf(checks: readonly CheckResult[]): ReadinessReport {
  return { status: checks.every(({ ok }) => ok) ? 'ok' : 'unavailable', checks };
}

async function runCheck({ name, check }: ReadinessCheck, { reportError, timeoutMs = CHECK_TIMEOUT_MS }: ReadinessOptions) {
  try {
    const late = () => new ServiceError('unavailable', `no answer within ${timeoutMs / 1000} seconds`);
    await within(timeoutMs, (async () => check())(), late);
    return { name, ok: true };
  } catch (error) {
    if (error instanceof ServiceError) return { name, ok: false, message: error.message };
    reportError(error, name);
    return { name, ok: false, message: 'a check failed; the log says why' };
  }
}

/** The body of `/readyz`. A failure also has the error format of the rest of the API. */
export function readinessBody({ status, checks }: ReadinessReport): Readonly<Record<string, unknown>> {
  const shown = checks.length > 0 ? { status, checks } : { status };
  if (status === 'ok') return shown;
  const failed = checks.filter(({ ok }) => !ok).map(({ name, message }) => (name === 'server' ? message : `${name}: ${message}`));
  return { ...shown, error: { code: 'unavailable', message: `Not ready: ${failed.join('; ')}` } };
}
