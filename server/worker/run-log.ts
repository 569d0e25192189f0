// The life of runs as log lines with run ids: one line for each run that ends as it should, warnings for the unusual, the rest at debug.
// Codes and names only: no prompt, no output, no message that could hold either.
import type { DataOf, Entry } from '../engine/core/entries.ts';
import type { RunState } from '../engine/core/state.ts';
import type { RunObserver } from '../engine/observer.ts';
import type { Claim } from '../store/store.ts';
import type { Logger } from '../log/log.ts';

const time = (ms: number) => new Date(ms).toISOString();

/** Which run a line is about. */
export function runFields({ namespace, name, key, owner, fence }: Claim, attempt?: number) {
  return { task: `${namespace}/${name}`, run: key, worker: owner, fence, ...(attempt !== undefined && { attempt }) };
}

export function createRunLog(log: Logger): RunObserver {
  return {
    claimed(claim, waitedMs) {
      if (claim.takeover)
        log.warn({ ...runFields(claim), from: claim.from?.owner }, 'a run is taken over: its last worker did not release it');
      else log.debug({ ...runFields(claim), waitedMs }, 'a run is claimed');
    },
    recorded(claim, entries, { state }) {
      for (const entry of entries) logEntry(log, { claim, entry, state });
    },
    leaseLost(claim) {
      log.warn(runFields(claim), 'a lease was lost: the last result of its run is dropped');
    },
  };
}

interface Line {
  readonly claim: Claim;
  readonly entry: Entry;
  readonly state: RunState;
}

function logEntry(log: Logger, { claim, entry, state }: Line): void {
  const fields = runFields(claim, state.attempts);
  switch (entry.type) {
    case 'run.completed':
      return log.info({ ...fields, phase: 'Succeeded', ranMs: entry.at - state.startedAt }, 'a run succeeded');
    case 'run.failed': {
      const line = {
        ...fields,
        phase: entry.data.phase,
        reason: entry.data.code,
        ...(state.startedAt > 0 && { ranMs: entry.at - state.startedAt }),
      };
      if (entry.data.code === 'cancelled') return log.info(line, 'a run was cancelled');
      return log.warn(line, entry.data.phase === 'DeadLetter' ? 'a run was dead-lettered' : 'a run failed');
    }
    case 'run.retry_scheduled':
      return log.warn(
        { ...fields, reason: entry.data.code, until: time(entry.data.next_attempt_at) },
        'an attempt failed; another follows',
      );
    case 'run.released':
      if (entry.data.cause === 'shutdown') return log.info(fields, 'a run is released: the worker stops');
      return log.debug({ ...fields, cause: entry.data.cause }, 'a run is released while it waits');
    case 'approval.requested':
      return logApproval(log, fields, entry.data);
    default:
      return;
  }
}

function logApproval(log: Logger, run: object, { name, tool, reason }: DataOf<'approval.requested'>): void {
  const fields = { ...run, approval: name, tool };
  if (reason === 'unknown_outcome') log.warn(fields, 'a call of unknown outcome waits for a person');
  else log.debug(fields, 'a call waits for an approval');
}

/** Reports to both observers. */
export function bothObservers(first: RunObserver, second: RunObserver): RunObserver {
  return {
    claimed(...news) {
      first.claimed(...news);
      second.claimed(...news);
    },
    recorded(...news) {
      first.recorded(...news);
      second.recorded(...news);
    },
    leaseLost(...news) {
      first.leaseLost(...news);
      second.leaseLost(...news);
    },
  };
}
