// An outage is two lines of the log, however often a loop tries.
import { expect, it } from 'vitest';
import { keptLog } from '../../testing/background.ts';
import { createOutageLog } from './outage-log.ts';

it('an outage is logged once when it begins and once when it ends', () => {
  const { log, lines } = keptLog();
  const outage = createOutageLog(log, 'reading', { kind: 'Worker' });
  outage.worked();
  for (let tries = 0; tries < 3; tries += 1) outage.failed(new Error('gone'));
  outage.worked();
  outage.worked();
  outage.failed(new Error('gone'));
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'reading fails; trying again'],
    ['info', 'reading works again'],
    ['warn', 'reading fails; trying again'],
  ]);
  expect(lines[1]?.fields).toEqual({ kind: 'Worker' });
});
