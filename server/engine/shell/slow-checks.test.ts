// Runs and decisions whose checks of inputs take too long, over real stores: the call fails, while the event loop and other writers continue.
import type { JsonObject } from '@svc/shared/json';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { createInputChecks, type ClosableInputChecks } from '../../tools/input-check.ts';
import { OutsideFirst } from '../../store/outside-first.ts';
import { requireApprovalOf, openApprovals } from '../../testing/approval-fixture.ts';
import { storeEngines } from '../../testing/background.ts';
import { allowAll, putSystem } from '../../testing/engine.ts';
import { loopDelay, RESPONSIVE_MS } from '../../testing/loop-delay.ts';

/** The first, quick check of the same schema must stay within it on a busy machine. */
const DEADLINE_MS = 3_000;
/** Time doubles with each level of the input; the size of the schema says nothing of that. */
const slowSchema = { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) });
const SLOW = nested(40);
const patterned = { type: 'object', properties: { to: { type: 'string', pattern: '^[a-z]+$' } } };

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  async function started(setup: { schema: JsonObject; input: JsonObject; asks: boolean; inputChecks?: ClosableInputChecks }) {
    const inputChecks = setup.inputChecks ?? createInputChecks(setup.schema === slowSchema ? { deadlineMs: DEADLINE_MS } : {});
    onTestFinished(() => inputChecks.close());
    const fixture = await openApprovals({
      store: await open(systemClock),
      inputChecks,
      governance: setup.asks ? requireApprovalOf('pay') : allowAll,
      model: ({ step, messages }) =>
        step === 1
          ? { toolCalls: [{ id: 'c1', name: 'pay', arguments: JSON.stringify(setup.input) }] }
          : { content: `told: ${messages.at(-1)?.content ?? ''}` },
    });
    const { engine } = fixture;
    onTestFinished(() => engine.close());
    await engine.put('Tool', 'pay', { type: 'http', operation_classes: ['write'], input_schema: setup.schema });
    await putSystem(engine, { agent: { tools: ['pay'] } });
    engine.worker.start();
    await engine.put('Task', 'job', { system: 'system' });
    return fixture;
  }

  test('a call whose check passes its deadline fails without being sent', async () => {
    const { value, longestMs } = await loopDelay(async () => {
      const fixture = await started({ schema: slowSchema, input: SLOW, asks: false });
      await fixture.engine.until('job');
      return fixture.engine;
    });
    const { status } = await value.read('job');
    expect(JSON.stringify(status)).toContain(`within ${DEADLINE_MS} ms`);
    expect(JSON.stringify(status)).toContain('runtime_policy_invalid');
    expect(value.toolCalls).toEqual([]);
    expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  });

  test('an edited input whose check exceeds its deadline is refused, and other writes continue meanwhile', async () => {
    const { engine, pending, decide, decisions } = await started({ schema: slowSchema, input: {}, asks: true });
    await engine.until('job', ['WaitingApproval']);
    const approval = await pending();
    let written = 0;
    const { value, longestMs } = await loopDelay(async () => {
      const decided = decide(approval, { decision: 'approved', input: SLOW }).catch((error: unknown) => error);
      let over = false;
      void decided.then(() => (over = true));
      for (; !over; written += 1) await engine.put('Agent', `other-${written}`, { model_ref: 'model', prompt: 'x' });
      return decided;
    });
    expect(value).toMatchObject({
      code: 'invalid',
      details: [{ path: 'input', message: expect.stringContaining(`within ${DEADLINE_MS} ms`) as string }],
    });
    expect(decisions.drafts).toEqual([]);
    expect(written).toBeGreaterThan(1);
    expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  });

  test('an edited input that is checked in a thread runs once the decision is recorded', async () => {
    const { engine, pending, decide, decisions } = await started({ schema: patterned, input: { to: 'ann' }, asks: true });
    await engine.until('job', ['WaitingApproval']);
    const approval = await pending();
    await expect(decide(approval, { decision: 'approved', input: { to: 'B' } })).rejects.toMatchObject({ code: 'invalid' });
    await decide(approval, { decision: 'approved', input: { to: 'bob' } });
    expect((await engine.until('job')).status['phase']).toBe('Succeeded');
    expect(engine.toolCalls).toMatchObject([{ input: { to: 'bob' } }]);
    expect(decisions.drafts).toHaveLength(1);
  });

  test('a status written by hand with a slow input lets nothing run', async () => {
    const { engine, pending, writeStatus, decisions } = await started({ schema: slowSchema, input: {}, asks: true });
    await engine.until('job', ['WaitingApproval']);
    const approval = await pending();
    const { longestMs } = await loopDelay(() => writeStatus(approval, { phase: 'Approved', edited_input: JSON.stringify(SLOW) }));
    expect(longestMs).toBeLessThan(RESPONSIVE_MS);
    expect(decisions.drafts).toEqual([]);
    expect(engine.toolCalls).toEqual([]);
  });

  test('a claim of a run with an approved call checks its input outside of the transaction', async () => {
    const real = createInputChecks();
    let outside = 0;
    let known = false;
    const act = () => {
      outside += 1;
      known = true;
      return Promise.resolve();
    };
    const inputChecks: ClosableInputChecks = {
      ...real,
      checkNow(tool, input) {
        if (!known) throw new OutsideFirst(act);
        return real.checkNow(tool, input);
      },
    };
    const { engine, pending, decide } = await started({ schema: {}, input: { to: 'ann' }, asks: true, inputChecks });
    await engine.until('job', ['WaitingApproval']);
    await decide(await pending(), { decision: 'approved' });
    expect((await engine.until('job')).status['phase']).toBe('Succeeded');
    expect([outside, engine.toolCalls.length]).toEqual([1, 1]);
  });
});
