// Phases that an object leaves neither by itself nor by an update.
import { kindByName } from '@svc/shared/kinds';
import { phaseOf, type Resource } from '@svc/shared/resource';

export function hasEnded(resource: Resource): boolean {
  const phase = phaseOf(resource);
  return phase !== undefined && kindByName(resource.kind)?.terminalPhases.includes(phase) === true;
}
