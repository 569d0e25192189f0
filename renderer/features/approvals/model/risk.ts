// Care that a decision requires: the risk of the tool, and the confirmation that follows. Pure.
import { specOf } from '../../../kinds/read.ts';
import type { Tone } from '../../../ui/status/tone.ts';

/** `unknown`: the tool cannot be read, so no low risk is assumed. */
export type Risk = 'low' | 'medium' | 'high' | 'critical' | 'unknown';

const ORDER: readonly Risk[] = ['low', 'medium', 'high', 'critical'];

export const RISK_TONES: Readonly<Record<Risk, Tone>> = {
  low: 'neutral',
  medium: 'warn',
  high: 'danger',
  critical: 'danger',
  unknown: 'warn',
};

/** Risk of a Tool. A stored level of a wrong type is unknown: the default of the kind would be the lowest. */
export function riskOf(spec: Readonly<Record<string, unknown>> | undefined): Risk {
  if (spec === undefined) return 'unknown';
  const level = specOf('Tool', { spec }).risk_level;
  return ORDER.find((each) => each === level && level === (spec.risk_level ?? level)) ?? 'unknown';
}

/** The graver of two; unknown counts as high. */
export function graver(a: Risk, b: Risk): Risk {
  const weight = (risk: Risk) => (risk === 'unknown' ? 1.5 : ORDER.indexOf(risk));
  return weight(a) >= weight(b) ? a : b;
}

/**
 * Confirmation of a decision. `hold`: it is sent after a few seconds unless it is withdrawn. `arm`: a second press. `typed`: the tool's
 * name, typed.
 */
export type Care = 'hold' | 'arm' | 'typed';

export function careFor(decision: 'approved' | 'denied', risk: Risk | undefined): Care {
  if (risk === 'critical' && decision === 'approved') return 'typed';
  return risk === 'low' ? 'hold' : 'arm';
}
