// Question of a pending approval, as its run recorded it.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { systemContext } from '../../registry/registry.ts';
import { transactAgain } from '../../store/write-race.ts';
import { requireApprovalOf, openApprovals, RULE } from '../../testing/approval-fixture.ts';
import { storeEngines } from '../../testing/background.ts';
import { putSystem } from '../../testing/engine.ts';

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  async function asked() {
    const fixture = await openApprovals({
      store: await open(systemClock),
      governance: requireApprovalOf('pay'),
      model: ({ step }) => (step === 1 ? { toolCalls: [{ id: 'c', name: 'pay', arguments: '{"sum":3}' }] } : { content: 'done' }),
    });
    onTestFinished(() => fixture.engine.close());
    await fixture.engine.put('Tool', 'pay', { type: 'http', endpoint: 'https://old.test/pay' });
    await putSystem(fixture.engine, { agent: { tools: ['pay'] } });
    fixture.engine.worker.start();
    await fixture.engine.put('Task', 'job', { system: 'system' });
    await fixture.engine.until('job', ['WaitingApproval']);
    const { kind, namespace, name, uid } = await fixture.pending();
    const ref = { kind: kind as 'ToolApproval', namespace, name };
    return { ...fixture, ref, uid, read: () => fixture.runs.approvalRequest(systemContext, ref) };
  }

  test('the tool is the one the run started with, whatever became of the Tool since', async () => {
    const { engine, read, uid } = await asked();
    const tool = await engine.store.getObject({ kind: 'Tool', namespace: 'default', name: 'pay' });
    if (!tool) throw new Error('the tool is gone');
    const changed = { ...tool, resourceVersion: tool.resourceVersion + 1, spec: { type: 'http', endpoint: 'https://new.test/pay' } };
    await transactAgain(engine.store, (tx) => tx.updateObject(changed));
    const answer = await read();
    expect(answer).toMatchObject({ uid, waits: true, call: { agent: 'agent', task: 'default/job', input: { sum: 3 }, rule: RULE } });
    expect(answer.call?.tool).toMatchObject({ namespace: 'default', name: 'pay', spec: { endpoint: 'https://old.test/pay' } });
    expect(answer.plan).toMatchObject({ type: 'http', request: { method: 'POST', url: 'https://old.test/pay' } });
  });

  test('an edited input is planned with the tool of the run', async () => {
    const { runs, ref } = await asked();
    expect(await runs.plan(systemContext, ref, { sum: 4 })).toMatchObject({ request: { url: 'https://old.test/pay' } });
    await expect(runs.plan(systemContext, { ...ref, name: 'none' }, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  test('has no waiting run after the decision', async () => {
    const { read, decide, ref, uid } = await asked();
    await decide(ref, { decision: 'denied' });
    await expect.poll(read).toEqual({ uid, waits: false });
  });

  test('has no waiting run when it was made by hand, and is not found when it does not exist', async () => {
    const { engine, runs, ref } = await asked();
    const byHand = await engine.put('ToolApproval', 'by-hand', { task_ref: 'job', tool: 'pay', input: '{"sum":900}' });
    expect(await runs.approvalRequest(systemContext, { ...ref, name: 'by-hand' })).toMatchObject({
      uid: byHand.metadata.uid,
      waits: false,
    });
    await expect(runs.approvalRequest(systemContext, { ...ref, name: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
