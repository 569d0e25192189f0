// Which claims of one batch a process may hold together. Pure.
import type { Claim } from '../../store/store.ts';
import { standingOf } from '../core/takeovers.ts';

export interface SeparatedClaims {
  readonly kept: readonly Claim[];
  /** Released at once; `alone`: from now on only to a worker that holds no run in doubt. */
  readonly back: readonly { readonly claim: Claim; readonly alone: boolean }[];
}

/**
 * A run on its last chance is held with no other run in doubt, and nothing is claimed beside it until it makes progress: when the process
 * dies once more, the run that is condemned is its likeliest cause. The first time it is released; at its next claim it goes first, and
 * others in doubt wait, so that newly lost runs cannot delay it without end.
 */
export function separate(claims: readonly Claim[], takeoversMax: number): SeparatedClaims {
  const standing = (claim: Claim) => standingOf(claim.takeovers, takeoversMax);
  const critical = claims.filter((claim) => standing(claim) === 'last_chance');
  if (critical.length === 0) return { kept: claims, back: [] };
  const others = claims.filter((claim) => standing(claim) !== 'last_chance');
  const first = critical.find(({ requirements }) => requirements.alone);
  // A run that is given up is never driven, so it does no harm beside another one.
  const kept = first ? [first, ...others.filter((claim) => standing(claim) === 'poisoned')] : others;
  const back = claims.filter((claim) => !kept.includes(claim)).map((claim) => ({ claim, alone: critical.includes(claim) }));
  return { kept, back };
}
