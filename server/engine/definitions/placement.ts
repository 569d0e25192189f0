// Which workers could take a Task, and the words for when none can. Pure; explain and the placement controller say the same.
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { isMet } from '../../store/demand.ts';
import type { ClaimQuery, StoredObject, WorkRequirements } from '../../store/store.ts';

export type WorkerOffer = ClaimQuery['capabilities'];

/** The phase in which a Worker takes Tasks. */
export const WORKER_READY = 'Ready';

/** Offer of a ready Worker. A worker that cannot open Secrets still counts as ready. */
export function offerOf(worker: Pick<StoredObject, 'namespace' | 'name' | 'spec' | 'status'>): WorkerOffer {
  const { region, capabilities = {} } = specOf('Worker', worker);
  const { gpu = false, supported_models: supportedModels = [] } = capabilities;
  const { lastError, mcpStdio = false } = statusOf('Worker', worker);
  return {
    gpu,
    supportedModels,
    secrets: lastError === undefined,
    mcpStdio,
    alone: true,
    ...(region !== undefined && { region }),
  };
}

/** `gpu=true, region=eu`; empty when any worker will do. */
export function describeDemand({ region, gpu, model, secrets, mcpStdio }: WorkRequirements): string {
  const needs = [
    gpu === true && 'gpu=true',
    region !== undefined && `region=${region}`,
    model !== undefined && `model=${model}`,
    secrets === true && 'the encryption key',
    mcpStdio === true && '--mcp-stdio',
  ];
  return needs.filter((need) => need !== false).join(', ');
}

/** Why none of the ready workers can take work of this demand, or undefined when one can. */
export function unmetDemand(demand: WorkRequirements, ready: readonly WorkerOffer[]): string | undefined {
  if (ready.length === 0) return 'no worker is ready';
  if (ready.some((offer) => isMet(demand, offer))) return undefined;
  return `no worker with ${describeDemand(demand)} is ready`;
}
