// Finds the server that owns a data directory, by the file in which it says where it listens.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUNTIME_FILE, runtimeSchema } from '@svc/shared/control';

const TIMEOUT_MS = 2_000;
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+$/;

/** Its address if it is on loopback and answers; null otherwise. */
export async function findServer(dataDir: string, ask: typeof fetch = fetch): Promise<string | null> {
  try {
    const { origin } = runtimeSchema.parse(JSON.parse(readFileSync(join(dataDir, RUNTIME_FILE), 'utf8')));
    if (!LOOPBACK.test(origin)) return null;
    const answer = await ask(`${origin}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    return answer.ok ? origin : null;
  } catch {
    return null;
  }
}
