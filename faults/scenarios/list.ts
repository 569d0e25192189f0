// The one list of scenarios, in the order they run.
import type { Scenario } from '../scenario.ts';
import { diskFull } from './disk-full.ts';
import { ioErrors } from './io-errors.ts';
import { killAtSync } from './kill-at-sync.ts';
import { killStormEmbedded, killStormShared } from './kill-storm.ts';

export const SCENARIOS: readonly Scenario[] = [killStormEmbedded, killStormShared, diskFull, killAtSync, ioErrors];
