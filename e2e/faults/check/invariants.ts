// The list of all invariants; each is a pure function of the evidence.
import { onceForEachClaim, oneResultPerCall, recordedBeforeSent, recordedIsNeverRepeated, resultsAreTheHolders } from './call-checks.ts';
import { changesHaveNoGaps, watchersSeeEverythingOnce } from './change-checks.ts';
import type { Evidence, Violation } from './evidence.ts';
import { journalsHaveNoGaps, holderViolations, onlyTheHolderWrites, runsEndOnce } from './journal-checks.ts';
import { acknowledgedExists, endViolations, endsOnce, somethingHappened } from './task-checks.ts';

const INVARIANTS: readonly ((evidence: Evidence) => Violation[])[] = [
  somethingHappened,
  acknowledgedExists,
  endViolations,
  endsOnce,
  journalsHaveNoGaps,
  onlyTheHolderWrites,
  holderViolations,
  runsEndOnce,
  oneResultPerCall,
  recordedBeforeSent,
  recordedIsNeverRepeated,
  resultsAreTheHolders,
  onceForEachClaim,
  changesHaveNoGaps,
  watchersSeeEverythingOnce,
];

export function checkInvariants(evidence: Evidence): Violation[] {
  return INVARIANTS.flatMap((invariant) => invariant(evidence));
}
