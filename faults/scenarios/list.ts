// The one list of scenarios, in the order they run.
import type { Scenario } from '../scenario.ts';
import { databaseRestart } from './database-restart.ts';
import { diskFull } from './disk-full.ts';
import { ioErrors } from './io-errors.ts';
import { killAtSync } from './kill-at-sync.ts';
import { killStormEmbedded, killStormShared } from './kill-storm.ts';
import { rollingRestart } from './rolling-restart.ts';
import { stoppedWorker } from './stopped-worker.ts';
import { takeover } from './takeover.ts';

export const SCENARIOS: readonly Scenario[] = [
  killStormEmbedded,
  killStormShared,
  stoppedWorker,
  rollingRestart,
  databaseRestart,
  takeover,
  diskFull,
  killAtSync,
  ioErrors,
];
