// Phases that an object leaves neither by itself nor by an update.
import { kindByName } from '@svc/shared/kinds';

export function isEndPhase(kind: string, phase: string): boolean {
  return kindByName(kind)?.terminalPhases.includes(phase) ?? false;
}
