// YAML without holding the event loop: a token takes microseconds, and a body has up to 200,000. Small texts are parsed at once, all others in a thread.
import { ServiceError } from '@svc/shared/errors';
import { createThreadPool, JobCrashed, JobOverdue } from '../checks/thread-pool.ts';
import { threadModule } from '../installation.ts';
import type { YamlResult } from './yaml-thread.ts';
import { parseYamlDocuments } from './yaml.ts';

/** Some 50 ms at the most. */
const INLINE_MAX_CHARS = 8 * 1024;
const THREADS_MAX = 2;
const DEADLINE_MS = 15_000;
/** Bodies that wait for a thread. Each is 4 MiB at the most. */
const WAITING_MAX = 32;
const HEAP_MAX_MB = 512;

export interface YamlParser {
  /** Every document of the text in order; empty ones are left out. Rejects with `invalid`, `too_large`, or `unavailable` when too many texts wait. */
  parse(text: string): Promise<unknown[]>;
  /** Ends the threads. Idempotent. */
  close(): Promise<void>;
}

export function createYamlParser(): YamlParser {
  const pool = createThreadPool<string, YamlResult>({
    title: 'YAML documents',
    program: threadModule('manifest/yaml-thread'),
    threadsMax: THREADS_MAX,
    deadlineMs: DEADLINE_MS,
    waitingMax: WAITING_MAX,
    heapMaxMb: HEAP_MAX_MB,
  });
  return {
    async parse(text) {
      // An anchor may make much of little.
      if (text.length <= INLINE_MAX_CHARS && !text.includes('&')) return parseYamlDocuments(text);
      const result = await pool.run(text).catch((error: unknown) => {
        if (!(error instanceof JobOverdue) && !(error instanceof JobCrashed)) throw error;
        throw new ServiceError('too_large', 'The YAML takes too long to read; send it in parts, or as JSON', { cause: error });
      });
      if ('json' in result) return JSON.parse(result.json) as unknown[];
      const { code, message, details } = result.error;
      throw new ServiceError(code, message, details ? { details } : {});
    },
    close: () => pool.close(),
  };
}
