// The one list of scenarios, and which of them run one after the other.
import type { Scenario } from '../scenario.ts';
import { conversations } from './conversations.ts';
import { databaseRestart } from './database-restart.ts';
import { diskFull } from './disk-full.ts';
import { ioErrors } from './io-errors.ts';
import { killAtSync } from './kill-at-sync.ts';
import { killStormEmbedded, killStormShared } from './kill-storm.ts';
import { muteReaders } from './mute-readers.ts';
import { poison } from './poison.ts';
import { rollingRestart } from './rolling-restart.ts';
import { stoppedWorker } from './stopped-worker.ts';
import { takeover } from './takeover.ts';
import { triggers } from './triggers.ts';

/**
 * Scenarios of the first lane share the PostgreSQL server, which one of them restarts: within a lane they run in sequence. Lanes run side
 * by side, since most of a scenario is waiting.
 */
export const LANES: readonly (readonly Scenario[])[] = [
  [killStormShared, stoppedWorker, rollingRestart, databaseRestart, takeover, poison, conversations, triggers],
  [killStormEmbedded, killAtSync, diskFull, ioErrors, muteReaders],
];

export const SCENARIOS: readonly Scenario[] = LANES.flat();

/** All scenarios in two parts that take about the same time, for two test files. */
export const HALVES: readonly [readonly Scenario[], readonly Scenario[]] = [SCENARIOS.slice(0, 6), SCENARIOS.slice(6)];
