// The file in a data directory that says where its server listens, so that the desktop app can attach to it.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUNTIME_FILE, runtimeSchema, type Runtime } from '@svc/shared/control';

export interface RuntimeFile {
  /** Removes the file, unless another start has written its own meanwhile. */
  remove(): void;
}

/** Replaces the file at once, readable by its owner only. */
export function writeRuntimeFile(dataDir: string, facts: Omit<Runtime, 'bootNonce'>): RuntimeFile {
  const path = join(dataDir, RUNTIME_FILE);
  const bootNonce = randomUUID();
  const draft = `${path}.${bootNonce}`;
  writeFileSync(draft, `${JSON.stringify({ ...facts, bootNonce })}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return {
    remove() {
      if (readRuntime(path)?.bootNonce === bootNonce) rmSync(path, { force: true });
    },
  };
}

function readRuntime(path: string): Runtime | undefined {
  try {
    return runtimeSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
