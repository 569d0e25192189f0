// The helm binary that renders the chart in tests: `SVC_HELM`, one on the PATH, or what scripts/fetch-helm.mjs has fetched.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const fetched = join(import.meta.dirname, '../../node_modules/.cache/svc-helm/helm');

function helmBinary(): string | undefined {
  const named = process.env['SVC_HELM'];
  if (named) return named;
  if (existsSync(fetched)) return fetched;
  return spawnSync('helm', ['version']).status === 0 ? 'helm' : undefined;
}

/** For `describe.skipIf`: says aloud what is skipped and why; with CI set nothing is skipped, so a missing binary fails. */
export function withoutHelm(suite: string): boolean {
  if (process.env['CI'] || helmBinary() !== undefined) return false;
  process.stderr.write(`SKIPPED ${suite}: no helm on this machine (node scripts/fetch-helm.mjs, or SVC_HELM=/path/to/helm)\n`);
  return true;
}

export interface HelmResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm to its end, without a cluster and without the settings of the person at this machine. */
export function runHelm(args: readonly string[], input = ''): HelmResult {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr, error } = spawnSync(helmBinary() ?? 'helm', args, {
    input,
    encoding: 'utf8',
    env: { PATH, HOME: '/nonexistent', KUBECONFIG: '/dev/null' },
  });
  if (error) throw error;
  return { status, stdout, stderr };
}
