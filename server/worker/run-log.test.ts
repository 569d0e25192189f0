// Log lines of runs that operators set alerts on.
import { expect, test } from 'vitest';
import { createLogger } from '../log/log.ts';
import type { Claim } from '../store/store.ts';
import type { Entry } from '../engine/core/entries.ts';
import { newRunState } from '../engine/core/state.ts';
import { createRunLog } from './run-log.ts';

const claim = { namespace: 'default', name: 'task', key: 'uid', owner: 'w1', fence: 1 } as Claim;

test.each([
  ['unknown_outcome', 40, 'a call of unknown outcome waits for a person'],
  ['policy', 20, 'a call waits for an approval'],
] as const)('an approval of reason %s is logged at level %i', (reason, level, msg) => {
  const lines: string[] = [];
  const log = createRunLog(createLogger({ level: 'debug', format: 'json', sink: { write: (line) => lines.push(line) } }));
  const entry = { type: 'approval.requested', at: 0, data: { name: 'approval-1', tool: 'pay', reason } } as unknown as Entry;
  log.recorded(claim, [entry], { state: newRunState(), appendMs: 0 });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ level, msg, approval: 'approval-1', tool: 'pay' }]);
});
