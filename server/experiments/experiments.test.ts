// Experiments over real stores and a real engine, with two servers that handle their work items side by side.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ExperimentResult } from '@svc/shared/api/experiments';
import { systemClock } from '../clock.ts';
import { createQueueConsumer, type QueueConsumer } from '../controllers/runtime/queue-consumer.ts';
import { createTaskHooks } from '../engine/runs/task-hooks.ts';
import { createGovernance } from '../governance/create-governance.ts';
import type { Registry } from '../registry/registry.ts';
import { onWritten } from '../registry/written.ts';
import type { Store } from '../store/store.ts';
import { keptLog, storeEngines } from '../testing/background.ts';
import { openEngine, type EngineBundle, type ModelScript } from '../testing/engine.ts';
import { as, registryOver } from '../testing/registry-fixture.ts';
import { createExperimentHooks, experimentRunListener } from './experiment-hooks.ts';
import { createExperimentService, type ExperimentService } from './experiment-service.ts';
import { createExperimentTimers } from './timers.ts';

interface World {
  readonly store: Store;
  readonly registry: Registry;
  readonly engine: EngineBundle;
  readonly service: ExperimentService;
  readonly put: (kind: string, name: string, spec: object) => Promise<void>;
  /** Has both servers handle the work items that are due, once. */
  readonly advance: () => Promise<void>;
  /** Runs everything until nothing is left to do. */
  readonly settle: () => Promise<void>;
  readonly status: (name?: string) => Promise<Readonly<Record<string, any>>>;
  readonly results: (name?: string) => Promise<readonly ExperimentResult[]>;
}

const REF = { namespace: 'default', name: 'tone' };

/** Answers with its prompt and its input; an input of "fail" fails. */
const echo: ModelScript = ({ messages }) => {
  const said = messages.map(({ content }) => content).join(' / ');
  if (said.includes('boom')) throw new Error('the model is away');
  return { content: said, costUsd: 0.01 };
};

async function setup(open: (typeof storeEngines)[number]['open'], model: ModelScript = echo): Promise<World> {
  const store = await open(systemClock);
  const governance = createGovernance({ defaultVerdict: 'allow' });
  const engine = await openEngine({ store, model, governance, runListeners: [experimentRunListener] });
  onTestFinished(() => engine.close());
  const { runListeners } = engine;
  const deps = { clock: systemClock, registry: () => registry, runListeners: () => runListeners };
  const taskHooks = createTaskHooks({ store, clock: systemClock, runListeners });
  const registry: Registry = registryOver(store, systemClock, { hooks: [['Task', taskHooks], ...createExperimentHooks(deps)] });
  const { log, lines } = keptLog();
  const consumers: QueueConsumer[] = ['a', 'b'].flatMap((owner) =>
    createExperimentTimers(deps).map((timer) =>
      createQueueConsumer({
        ...{ store, clock: systemClock, log, owner, random: () => 0.5, leaseMs: 60_000, concurrency: 4 },
        ...timer,
      }),
    ),
  );
  const advance = async () => {
    for (;;) {
      const taken = await Promise.all(consumers.map((each) => each.runOnce()));
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
      if (taken.every((count) => count === 0)) return;
    }
  };
  const world: World = {
    ...{ store, registry, engine, advance },
    service: createExperimentService({ store, registry, clock: systemClock }),
    async put(kind, name, spec) {
      await registry.post(as('writer'), { kind, namespace: 'default', body: { kind, metadata: { name }, spec } });
    },
    async settle() {
      for (;;) {
        await advance();
        const taken = await engine.worker.runOnce();
        await engine.worker.drain();
        if (!taken) return advance();
      }
    },
    status: async (name = 'tone') => (await registry.get(as('reader'), { kind: 'Experiment', namespace: 'default', name })).status,
    results: async (name = 'tone') =>
      (await world.service.results(as('reader'), { namespace: 'default', name }, { after: 0, limit: 1000 })).items,
  };
  await world.put('ModelEndpoint', 'fast', { provider: 'mock' });
  await world.put('Agent', 'writer', { model_ref: 'fast', prompt: 'Be formal.' });
  await world.put('Agent', 'writer', { model_ref: 'fast', prompt: 'Be kind.' });
  await world.put('AgentSystem', 'desk', { agents: ['writer'] });
  return world;
}

const CASES = [
  { name: 'greeting', input: { message: 'Hello' } },
  { name: 'refund', input: { message: 'My money' } },
];
const BEFORE = { name: 'before', versions: [{ kind: 'Agent', name: 'writer', generation: 1 }] };
const EDITED = { name: 'edited', overrides: { prompt: { writer: 'Be short.' } } };
const TONE = { system: 'desk', cases: CASES, variants: [{ name: 'today' }, BEFORE, EDITED] };

describe.each(storeEngines.filter(({ skip }) => !skip))('an experiment over $name', ({ open }) => {
  test('runs each case once with each variant on two servers', async () => {
    const { put, settle, results, status, registry, engine } = await setup(open);
    await put('Experiment', 'tone', { ...TONE, repeats: 2, parallelism: 3 });
    expect(await status()).toMatchObject({ phase: 'Pending', total: 12 });
    await settle();
    const cells = await results();
    expect(cells.map((cell) => `${cell.run} ${cell.case} ${cell.variant} ${cell.repeat}`)).toEqual(
      [1, 2]
        .flatMap((repeat) => CASES.flatMap((row) => ['today', 'before', 'edited'].map((variant) => `${row.name} ${variant} ${repeat}`)))
        .map((text, index) => `${index + 1} ${text}`),
    );
    expect(cells.slice(0, 3).map(({ output }) => output?.split(' / ')[0])).toEqual(['Be kind.', 'Be formal.', 'Be short.']);
    expect(cells[3]?.output).toContain('My money');
    expect(cells.every(({ outcome, tokens, cost_usd: cost }) => outcome === 'Succeeded' && tokens === 15 && cost === 0.01)).toBe(true);
    expect(await status()).toMatchObject({
      ...{ phase: 'Completed', runs: 12, succeeded: 12, failed: 0, active: 0, tokens: 180, costUsd: 0.12 },
      variants: [{ name: 'today', runs: 4, succeeded: 4, tokens: 60, costUsd: 0.04 }, { name: 'before' }, { name: 'edited' }],
    });
    expect(engine.modelCalls).toHaveLength(12);
    const { items } = await registry.list(as('reader'), { kind: 'Task', namespace: 'default', limit: 100 });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(cells.map(({ task }) => task));
    expect(items.every(({ status: task }) => task['trial'] === 'true')).toBe(true);
  });

  test('keeps as many runs active as parallelism allows', async () => {
    const { put, advance, status, results, settle } = await setup(open);
    await put('Experiment', 'tone', { ...TONE, parallelism: 2 });
    await advance();
    expect(await status()).toMatchObject({ phase: 'Running', active: 2, runs: 2 });
    expect((await results()).map(({ outcome }) => outcome)).toEqual(['Pending', 'Pending']);
    await settle();
    expect(await status()).toMatchObject({ phase: 'Completed', active: 0, runs: 6 });
  });

  test('completes although the Task of its last run lost its labels', async () => {
    const { put, advance, settle, status, results, registry } = await setup(open);
    await put('Experiment', 'tone', { ...TONE, cases: CASES.slice(0, 1), variants: TONE.variants.slice(0, 1) });
    await advance();
    const [cell] = await results();
    const ref = { kind: 'Task', namespace: 'default', name: cell?.task ?? '' };
    const task = await registry.get(as('reader'), ref);
    const metadata = { name: ref.name, labels: {} };
    await registry.put(as('writer'), { ...ref, body: { kind: 'Task', metadata, spec: task.spec }, ifMatch: task.metadata.resourceVersion });
    await settle();
    expect(await status()).toMatchObject({ phase: 'Completed', active: 0, runs: 1, succeeded: 1 });
  });

  test('ends its active runs when it is cancelled, and keeps the results before', async () => {
    const { put, advance, settle, service, status, results, engine } = await setup(open);
    await put('Experiment', 'tone', { ...TONE, parallelism: 2 });
    await advance();
    await engine.worker.runOnce();
    await engine.worker.drain();
    await advance();
    const done = (await results()).filter(({ outcome }) => outcome === 'Succeeded').length;
    expect(done).toBeGreaterThan(0);
    await service.cancel(as('writer'), REF, ' the prompt is wrong ');
    await settle();
    const ended = await status();
    expect(ended).toMatchObject({ phase: 'Cancelled', reason: 'cancelled', active: 0 });
    expect(ended['lastError']).toBe('cancelled by the-writer: the prompt is wrong');
    const outcomes = (await results()).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'Succeeded')).toHaveLength(done);
    expect(outcomes.filter((outcome) => outcome === 'Cancelled')).toHaveLength(outcomes.length - done);
    expect(outcomes.length).toBeLessThan(6);
    await expect(service.cancel(as('writer'), REF, undefined)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('cancelled before it began has no runs', async () => {
    const { put, settle, service, status, results } = await setup(open);
    await put('Experiment', 'tone', TONE);
    await service.cancel(as('writer'), REF, undefined);
    await settle();
    expect([await status(), await results()]).toMatchObject([{ phase: 'Cancelled', runs: 0 }, []]);
  });

  test.each([
    ['tokens', { max_tokens: 30 }, 'budget_reached', 'the budget of 30 tokens is used: 30'],
    ['cost', { max_cost_usd: 0.02 }, 'budget_reached', 'the budget of 0.02 US dollars is used: 0.02'],
  ])('begins no run once its budget of %s is used', async (_, budget, reason, lastError) => {
    const { put, settle, status } = await setup(open);
    await put('Experiment', 'tone', { ...TONE, parallelism: 1, budget });
    await settle();
    expect(await status()).toMatchObject({ phase: 'Stopped', reason, lastError, runs: 2, succeeded: 2 });
  });

  test('with a budget of cost stops at a run whose cost is not known', async () => {
    const { put, settle, status } = await setup(open, () => ({ content: 'x' }));
    await put('Experiment', 'tone', { ...TONE, parallelism: 1, budget: { max_cost_usd: 5 } });
    await settle();
    expect(await status()).toMatchObject({ phase: 'Stopped', reason: 'cost_unknown', runs: 1, unpricedRuns: 1 });
  });

  test('fails when its system is deleted on the way, and keeps its results', async () => {
    const { put, advance, settle, status, results, registry, engine } = await setup(open);
    await put('Experiment', 'tone', { ...TONE, parallelism: 1 });
    await advance();
    await engine.worker.runOnce();
    await engine.worker.drain();
    await registry.remove(as('writer'), { kind: 'AgentSystem', namespace: 'default', name: 'desk' });
    await settle();
    expect(await status()).toMatchObject({
      ...{ phase: 'Failed', reason: 'cannot_run', lastError: 'AgentSystem default/desk no longer exists' },
      ...{ runs: 1, succeeded: 1 },
    });
    expect(await results()).toHaveLength(1);
  });

  test('continues after failed and deleted runs', async () => {
    const { put, advance, settle, status, results, registry } = await setup(open);
    const cases = [{ name: 'bad', input: { message: 'boom' } }, ...CASES];
    await put('Experiment', 'tone', { ...TONE, cases, variants: [{ name: 'today' }], parallelism: 2 });
    await advance();
    const second = (await results())[1]?.task ?? '';
    await registry.remove(as('writer'), { kind: 'Task', namespace: 'default', name: second });
    await settle();
    expect((await results()).map(({ outcome }) => outcome)).toEqual(['DeadLetter', 'Deleted', 'Succeeded']);
    expect((await results())[0]?.error).toContain('the call failed');
    expect(await status()).toMatchObject({ phase: 'Completed', succeeded: 1, failed: 1, cancelled: 1 });
  });

  test('names a version that was dropped on the way in the results of its runs', async () => {
    const { put, advance, settle, results, store } = await setup(open);
    await put('Experiment', 'tone', { ...TONE, variants: [BEFORE] });
    await advance();
    await store.pruneVersions({ replacedBefore: '9999-01-01T00:00:00.000Z' });
    await settle();
    for (const cell of await results())
      expect(cell).toMatchObject({ outcome: 'Failed', error: expect.stringContaining('Agent default/writer has no version 1') as string });
  });

  test('judges a pinned version by the current policies', async () => {
    const tool: ModelScript = ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? { content: messages.at(-1)?.content ?? '' }
        : { toolCalls: [{ id: 'c1', name: 'pay', arguments: '{}' }], finishReason: 'tool_calls' };
    const { put, settle, results, engine } = await setup(open, tool);
    await put('Tool', 'pay', { type: 'http', endpoint: 'https://pay.example/', description: 'Pays.' });
    await put('Agent', 'writer', { model_ref: 'fast', prompt: 'Third.', tools: ['pay'], allowed_tools: ['pay'] });
    await put('Agent', 'writer', { model_ref: 'fast', prompt: 'Fourth.', tools: ['pay'], allowed_tools: ['pay'] });
    await put('AgentPolicy', 'no-pay', { apply_mode: 'global', blocked_tools: ['pay'] });
    await put('Experiment', 'tone', {
      ...TONE,
      variants: [{ name: 'third', versions: [{ kind: 'Agent', name: 'writer', generation: 3 }] }],
    });
    await settle();
    expect(engine.toolCalls).toEqual([]);
    for (const { outcome, error } of await results()) expect([outcome, error]).toEqual(['Failed', expect.stringContaining('pay')]);
  });

  test('refuses to change once it is created', async () => {
    const { put, registry } = await setup(open);
    await put('Experiment', 'tone', TONE);
    await put('Experiment', 'tone', TONE);
    await expect(put('Experiment', 'tone', { ...TONE, repeats: 2 })).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: 'spec', message: expect.stringContaining('create another experiment') as string }],
    });
    const body = { kind: 'Experiment', metadata: { name: 'tone', labels: { kept: 'yes' } } };
    await registry.patch(as('writer'), { kind: 'Experiment', ...REF, body });
  });

  test.each([
    ['a version that was never there', [{ ...BEFORE, versions: [{ kind: 'Agent', name: 'writer', generation: 7 }] }], 'has no version 7'],
    ['a prompt of an agent that is not in the system', [{ name: 'x', overrides: { prompt: { ghost: 'x' } } }], 'names ghost'],
    ['a model that does not exist', [{ name: 'x', overrides: { model: { writer: 'none' } } }], 'ModelEndpoint default/none does not exist'],
  ])('with %s is refused when it is created', async (_, variants, sentence) => {
    const { put } = await setup(open);
    await expect(put('Experiment', 'tone', { ...TONE, variants })).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: 'spec.variants[0]', message: expect.stringContaining(sentence) as string }],
    });
  });

  test('bounds the turns of each run, which a cyclic graph needs', async () => {
    const { put, settle, results, status, registry } = await setup(open);
    await put('AgentSystem', 'loop', { agents: ['writer'], graph: { writer: { edges: [{ to: 'writer' }] } } });
    const spec = { system: 'loop', cases: CASES.slice(0, 1) };
    await expect(put('Experiment', 'unbound', spec)).rejects.toMatchObject({ code: 'invalid' });
    await put('Experiment', 'tone', { ...spec, max_turns: 3 });
    await settle();
    expect(await status()).toMatchObject({ phase: 'Completed', succeeded: 1 });
    const [result] = await results();
    const { spec: run, status: ended } = await registry.get(as('reader'), { kind: 'Task', namespace: 'default', name: result?.task ?? '' });
    expect(run).toMatchObject({ max_turns: 3 });
    expect(JSON.stringify(ended)).toContain('max_turns reached');
  });

  test('without its system is refused', async () => {
    const { put } = await setup(open);
    await expect(put('Experiment', 'tone', { ...TONE, system: 'gone' })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('keeps thumbs and notes of results, each change at the version that was read', async () => {
    const { put, settle, service, results, status } = await setup(open);
    await put('Experiment', 'tone', TONE);
    await settle();
    const rate = (version: number, thumb: 'up' | 'down' | null, note: string | null = null) =>
      service.rate(as('approver'), REF, { run: 2, thumb, note, version });
    expect(await rate(0, 'up', 'warm')).toMatchObject({ thumb: 'up', note: 'warm', by: 'the-approver', version: 1 });
    expect((await status())['variants']).toMatchObject([{ up: 0 }, { up: 1, down: 0 }, { up: 0 }]);
    await expect(rate(0, 'down')).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('version 1') as string });
    expect(await rate(1, 'down', ' ')).toMatchObject({ thumb: 'down', note: null, version: 2 });
    expect((await status())['variants']).toMatchObject([{}, { up: 0, down: 1 }, {}]);
    expect((await results()).map(({ rating }) => rating?.thumb ?? '')).toEqual(['', 'down', '', '', '', '']);
    expect(await status()).toMatchObject({ phase: 'Completed' });
    await expect(service.rate(as('approver'), REF, { run: 99, thumb: 'up', note: null, version: 0 })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(rate(2, 'up', 'x'.repeat(4_001))).rejects.toMatchObject({ code: 'invalid' });
    await expect(rate(2, 'up', 'a\0b')).rejects.toMatchObject({ code: 'invalid' });
    await expect(service.rate(as('reader'), REF, { run: 2, thumb: 'up', note: null, version: 2 })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  test('lists results page by page, with long outputs cut', async () => {
    const { put, settle, service, results } = await setup(open, () => ({ content: `${'x'.repeat(7_999)}😀${'y'.repeat(50_000)}` }));
    await put('Experiment', 'tone', TONE);
    await settle();
    const [first] = await results();
    expect(first?.output).toBe('x'.repeat(7_999));
    expect(first?.output_chars).toBe(58_001);
    const pages: number[][] = [];
    for (let after = 0; ;) {
      const page = await service.results(as('reader'), REF, { after, limit: 4 });
      pages.push(page.items.map(({ run }) => run));
      if (page.continue === undefined) break;
      after = Number(page.continue);
    }
    expect(pages).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ]);
  });

  test('deleted on the way cancels its runs and leaves no records', async () => {
    const { put, advance, settle, registry, store } = await setup(open);
    await put('Experiment', 'tone', TONE);
    await advance();
    await registry.remove(as('writer'), { kind: 'Experiment', ...REF });
    await settle();
    const { items } = await registry.list(as('reader'), { kind: 'Task', namespace: 'default', limit: 100 });
    expect(items.map(({ status }) => status['reason'])).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
    for (const kind of ['state', 'cells', 'ratings']) expect(await store.listDocuments(`experiment.${kind}`, '', 10)).toEqual([]);
  });

  test('with 1,000 runs stops at a cancel with the runs that had ended', async () => {
    const { put, advance, settle, service, status, engine } = await setup(open);
    const cases = Array.from({ length: 100 }, (_, index) => ({ name: `c${index}`, input: { message: String(index) } }));
    await put('Experiment', 'tone', {
      ...TONE,
      cases,
      variants: [{ name: 'today' }],
      repeats: 10,
      parallelism: 50,
      budget: { max_tokens: 1e6 },
    });
    for (let round = 0; round < 3; round += 1) {
      await advance();
      await engine.worker.runOnce();
      await engine.worker.drain();
    }
    await advance();
    const { succeeded } = await status();
    expect(succeeded).toBeGreaterThan(0);
    await service.cancel(as('writer'), REF, undefined);
    await settle();
    expect(await status()).toMatchObject({ phase: 'Cancelled', total: 1000, succeeded, active: 0 });
  }, 120_000);
});

describe.each(storeEngines.filter(({ name }) => name === 'SQLite'))('requests about experiments over $name', ({ open }) => {
  test('an estimate follows the newest runs of the system and names what cannot run', async () => {
    const { put, settle, service } = await setup(open);
    const spec = { ...TONE, variants: [{ name: 'today' }, EDITED] };
    const ask = (draft: object) => service.estimate(as('reader'), { namespace: 'default', spec: draft });
    expect(await ask(spec)).toEqual({ runs: 4, based_on: 0, tokens: null, cost_usd: null, problems: [] });
    await put('Task', 'one', { system: 'desk', input: { message: 'x' } });
    await put('Task', 'two', { system: 'default/desk' });
    await settle();
    expect(await ask(spec)).toEqual({ runs: 4, based_on: 2, tokens: 60, cost_usd: 0.04, problems: [] });
    // A template and a run that has not ended say nothing of the cost.
    await put('Task', 'template', { system: 'desk', mode: 'template' });
    await put('Task', 'waiting', { system: 'desk', requirements: { region: 'nowhere' } });
    expect(await ask(spec)).toMatchObject({ based_on: 2, tokens: 60 });
    const gone = { ...BEFORE, versions: [{ kind: 'Agent', name: 'writer', generation: 9 }] };
    expect((await ask({ ...TONE, variants: [{ name: 'today' }, gone] })).problems).toEqual([
      { path: 'spec.variants[1]', message: expect.stringContaining('cannot run: Agent default/writer has no version 9') as string },
    ]);
    await expect(ask({ system: 'desk' })).rejects.toMatchObject({ code: 'invalid', details: [{ path: 'spec.cases' }] });
    await expect(ask(null as never)).rejects.toMatchObject({ code: 'invalid' });
  });

  test('an audit record is kept of each rating and of a cancel, without the note', async () => {
    const { put, advance, service, store } = await setup(open);
    const written: unknown[] = [];
    const transaction = store.transaction.bind(store);
    store.transaction = (work) =>
      transaction((tx) => {
        onWritten(tx, ({ action, details, by }) => written.push([action, details, by.identity.name]));
        return work(tx);
      });
    await put('Experiment', 'tone', TONE);
    await advance();
    written.length = 0;
    await service.rate(as('approver'), REF, { run: 1, thumb: 'up', note: 'private', version: 0 });
    await service.cancel(as('writer'), REF, undefined);
    expect(written).toEqual([
      ['experiment.rate', { run: 1, thumb: 'up' }, 'the-approver'],
      ['experiment.cancel', undefined, 'the-writer'],
    ]);
  });
});
