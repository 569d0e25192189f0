// What a work item asks of a worker, as the text its index is ordered by, and the rule of who may take it. Pure.
import type { ClaimQuery, WorkRequirements } from './store.ts';

/** Requirements in one canonical text: items of equal demand form one index range. */
export function demandOf({ region, gpu, model, secrets }: WorkRequirements): string {
  return JSON.stringify({ region, ...(gpu && { gpu }), model, ...(secrets && { secrets }) });
}

export function requirementsOf(demand: string): WorkRequirements {
  return JSON.parse(demand) as WorkRequirements;
}

/** Whether a worker that offers these capabilities may take an item of this demand. */
export function isMet(demand: WorkRequirements, offered: ClaimQuery['capabilities']): boolean {
  if (demand.region !== undefined && demand.region !== offered.region) return false;
  if (demand.gpu && !offered.gpu) return false;
  if (demand.secrets && !offered.secrets) return false;
  return demand.model === undefined || offered.supportedModels.includes(demand.model);
}
