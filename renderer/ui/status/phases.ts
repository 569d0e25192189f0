// The one vocabulary of phases: label, tone and icon for every phase of every kind. Pure.
import type { Tone } from './tone.ts';

export type PhaseIcon =
  | 'queued'
  | 'running'
  | 'person'
  | 'done'
  | 'failed'
  | 'dead'
  | 'stopped'
  | 'paused'
  | 'expired'
  | 'ready'
  | 'connecting'
  | 'draining'
  | 'unknown'
  | 'changes'
  | 'input';

export interface PhaseLook {
  readonly label: string;
  readonly tone: Tone;
  readonly icon: PhaseIcon;
}

const look = (label: string, tone: Tone, icon: PhaseIcon): PhaseLook => ({ label, tone, icon });

const PHASES: Readonly<Record<string, PhaseLook>> = {
  Pending: look('Pending', 'neutral', 'queued'),
  Running: look('Running', 'running', 'running'),
  WaitingApproval: look('Waiting for approval', 'waiting', 'person'),
  WaitingInput: look('Waiting for input', 'info', 'input'),
  Succeeded: look('Succeeded', 'ok', 'done'),
  Completed: look('Completed', 'ok', 'done'),
  Failed: look('Failed', 'danger', 'failed'),
  DeadLetter: look('Dead letter', 'danger', 'dead'),
  Cancelled: look('Cancelled', 'neutral', 'stopped'),
  Stopped: look('Stopped', 'warn', 'stopped'),
  Expired: look('Expired', 'neutral', 'expired'),
  Paused: look('Paused', 'neutral', 'paused'),
  Suspended: look('Suspended', 'neutral', 'paused'),
  Ready: look('Ready', 'ok', 'ready'),
  NotReady: look('Not ready', 'danger', 'failed'),
  Connecting: look('Connecting', 'info', 'connecting'),
  Draining: look('Draining', 'warn', 'draining'),
  Error: look('Error', 'danger', 'failed'),
  Approved: look('Approved', 'ok', 'done'),
  Denied: look('Denied', 'neutral', 'stopped'),
  ChangesRequested: look('Changes requested', 'warn', 'changes'),
};

/** Phases with another label for one kind: a pending approval waits for a person. */
const OF_KIND: Readonly<Record<string, PhaseLook>> = {
  'ToolApproval/Pending': look('Waiting', 'waiting', 'person'),
  'TaskApproval/Pending': look('Waiting', 'waiting', 'person'),
};

/** `WaitingApproval` as words: `Waiting approval`. */
function phaseName(phase: string): string {
  const words = phase
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .trim();
  return words === '' ? 'Unknown' : words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** Total: an unknown phase, from a newer server, shows as its own name. */
export function phaseLook(phase: string | undefined, kind?: string): PhaseLook {
  if (phase === undefined) return look('Unknown', 'neutral', 'unknown');
  return (
    OF_KIND[`${kind ?? ''}/${phase}`] ??
    (Object.hasOwn(PHASES, phase) ? PHASES[phase] : undefined) ??
    look(phaseName(phase), 'neutral', 'unknown')
  );
}

/** Whether the table above has this phase. */
export function isKnownPhase(phase: string): boolean {
  return Object.hasOwn(PHASES, phase);
}

/** Kinds with a single phase have no pill. */
export function hasLifecycle(phases: readonly string[]): boolean {
  return phases.length > 1;
}
