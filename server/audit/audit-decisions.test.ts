// Audit lines of decisions: one for each that became durable, none for one that was rolled back or lost a race.
import type { DecisionDraft } from '@svc/shared/decision-record';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createDecisionLog } from '../decisions/decision-log.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Store } from '../store/store.ts';
import { WriteRace, transactAgain } from '../store/write-race.ts';
import { storeEngines } from '../testing/background.ts';
import { auditDecisions } from './audit-decisions.ts';
import { auditedStore } from './audited-store.ts';
import type { AuditEvent } from './audit-event.ts';

const draft = (name: string): DecisionDraft => ({
  timestamp: '2026-01-02T03:04:05.006Z',
  type: 'tool',
  approval: { kind: 'ToolApproval', namespace: 'default', name, uid: name },
  task: { namespace: 'default', name: 'task', uid: 't' },
  tool: 'default/mail',
  decision: 'approved',
  proposed_input: { secret: 'INPUT' },
  edited_input: { secret: 'INPUT' },
  comment: 'COMMENT',
  decider: { name: 'ann', method: 'bearer', role: 'writer', on_behalf_of: 'bob' },
});

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  let inner: Store;
  afterEach(() => inner.close());

  test('a durable decision is audited once, with its decider and without its content', async () => {
    inner = await open(systemClock);
    const log = createDecisionLog({ store: inner, secretBox: createSecretBox(), clock: systemClock });
    await log.prepare();
    const events: AuditEvent[] = [];
    const { store, audit } = auditedStore(inner, { write: (event) => void events.push(event) }, systemClock);
    const recordDecision = auditDecisions(log.record, audit);
    await store.transaction((tx) => recordDecision(tx, draft('a')));
    const failing = store.transaction(async (tx) => {
      await recordDecision(tx, draft('rolled-back'));
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    let rounds = 0;
    await transactAgain(store, async (tx) => {
      await recordDecision(tx, { ...draft('b'), decision: 'expired' });
      if ((rounds += 1) < 3) throw new WriteRace(undefined);
    });
    await Promise.all(['c', 'd'].map((name) => transactAgain(store, (tx) => recordDecision(tx, draft(name)))));
    expect(events.map(({ resource }) => resource.name).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(events[0]).toEqual({
      timestamp: '2026-01-02T03:04:05.006Z',
      component: 'approvals',
      action: 'approval.decide',
      outcome: 'approved',
      principal: { name: 'ann', method: 'bearer', role: 'writer', on_behalf_of: 'bob' },
      resource: { kind: 'ToolApproval', namespace: 'default', name: 'a' },
      details: { type: 'tool', task: 'default/task', tool: 'default/mail', edited: true, decision_record: 1 },
    });
    expect(events[1]).toMatchObject({ outcome: 'expired', principal: { name: 'ann' } });
    expect(JSON.stringify(events)).not.toMatch(/INPUT|COMMENT/);
  });
});
