// Requirements of a work item on a worker, as the text its index is ordered by, and the rule that matches workers to it. Pure.
import type { ClaimQuery, WorkRequirements } from './store.ts';

/** Requirements in one canonical text: items of equal demand form one index range. */
export function demandOf({ region, gpu, model, secrets, mcpStdio, alone }: WorkRequirements): string {
  const set = { ...(secrets && { secrets }), ...(mcpStdio && { mcpStdio }), ...(alone && { alone }) };
  return JSON.stringify({ region, ...(gpu && { gpu }), model, ...set });
}

export function requirementsOf(demand: string): WorkRequirements {
  return JSON.parse(demand) as WorkRequirements;
}

/** The same demand of an item that need no longer be alone. */
export function demandInCompany(demand: string): string {
  const { alone: _, ...rest } = requirementsOf(demand);
  return demandOf(rest);
}

/** Whether a worker that offers these capabilities may take an item of this demand. */
export function isMet(demand: WorkRequirements, offered: ClaimQuery['capabilities']): boolean {
  if (demand.region !== undefined && demand.region !== offered.region) return false;
  if (demand.gpu && !offered.gpu) return false;
  if (demand.secrets && !offered.secrets) return false;
  if (demand.mcpStdio && !offered.mcpStdio) return false;
  if (demand.alone && !offered.alone) return false;
  return demand.model === undefined || offered.supportedModels.includes(demand.model);
}
