// A worker process that claims and opens runs, and dies before it drives any of them.
import { silentObserver } from '../engine/observer.ts';
import { claimRuns, resumeRun, type OpenContext, type OpenedRun } from '../engine/shell/open-run.ts';
import type { Store } from '../store/store.ts';
import { allowAll, silentLog } from './engine.ts';
import { noRunContexts } from '../engine/definitions/run-context.ts';
import { noRunListeners } from '../engine/run-listeners.ts';
import { scriptedInputs } from './scripted-inputs.ts';

const LEASE_MS = 1_000;
/** All lives lie in the past, so that what is left of them can be claimed now. */
const LIVES = 10;

export interface DyingWorker {
  /** Claims what it may, up to 16 Tasks, and opens it unless `opens` is false. `lives` counts leases: what died in an earlier one has lost its own. */
  readonly dieAt: (lives: number, options?: { readonly alone?: boolean; readonly opens?: boolean }) => Promise<OpenedRun[]>;
}

export function dyingWorker(
  store: Store,
  owner: string,
  { takeoversMax = 3, wary = false, runListeners = noRunListeners } = {},
): DyingWorker {
  const began = Date.now() - LIVES * (LEASE_MS + 1);
  const contextAt = (now: number): OpenContext => ({
    store,
    decide: () => ({ now, random: () => 0.5, worker: owner }),
    judge: { governance: allowAll, tools: { inputs: scriptedInputs(undefined), canRun: () => Promise.resolve(undefined) }, log: silentLog },
    observer: silentObserver,
    runListeners,
    contexts: noRunContexts,
    capabilities: () => ({ gpu: false, supportedModels: [], secrets: true }),
    takeoversMax,
    wary: () => wary,
  });
  return {
    async dieAt(lives, { alone = true, opens = true } = {}) {
      const context = contextAt(began + lives * (LEASE_MS + 1));
      const capabilities = { gpu: false, supportedModels: [], secrets: true, alone };
      const opened = await claimRuns(context, { owner, capabilities, leaseMs: LEASE_MS, limit: 16, leasedUntil: () => Infinity });
      if (!opens) return opened;
      return Promise.all(opened.map(async (each) => (each.kind === 'resume' ? resumeRun(context, each.claim)() : each)));
    },
  };
}
