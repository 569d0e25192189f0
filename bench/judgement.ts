// Cost of governance per call: a judgement among few and many rules, beside the bare read that it needs, and the reading of all rules after one has changed.
import { createGovernance } from '../server/governance/create-governance.ts';
import type { Store, StoredObject } from '../server/store/store.ts';
import { call, modelCall, permission, policy, role } from '../server/testing/governance-rules.ts';
import { storeEngines, type StoreEngine } from './engines.ts';
import { compared, percentile, type Row } from './row.ts';

const FEW = 10;
const MANY = 5_000;
const WARM_UP = 500;
const SAMPLES = 3_000;
const RELOADS = 15;
const BATCH = 1_000;

/** The rules about the call that is judged: a policy on the run, two permissions on the tool, two roles of the agent. */
const ABOUT_THE_CALL: readonly StoredObject[] = [
  policy('limits', { target_systems: ['research'], blocked_tools: ['shell'], allowed_models: ['fast-1'], max_tokens_per_run: 9_000 }),
  permission('mail', { required_permissions: ['mail:send', 'mail:read'], operation_rules: [{ operation_class: 'read' }] }),
  permission('mail-too', { tool_ref: 'mail', required_permissions: ['mail:send'], match_mode: 'any' }),
  role('sender', 'mail:send'),
  role('reader', 'mail:read'),
];
const subject = call({ agent: { roles: ['sender', 'reader'] } });

function others(count: number): StoredObject[] {
  const kinds = [
    (n: number) => policy(`p-${n}`, { target_systems: [`s-${n}`], blocked_tools: ['mail'] }),
    (n: number) => permission(`t-${n}`, { required_permissions: [`x-${n}`], operation_rules: [{ verdict: 'deny' }] }),
    (n: number) => role(`r-${n}`, `x-${n}`),
  ];
  return Array.from({ length: count }, (_, n) => (kinds[n % kinds.length] ?? kinds[0]!)(n));
}

async function fill(store: Store, rules: readonly StoredObject[]): Promise<void> {
  for (let start = 0; start < rules.length; start += BATCH) {
    await store.transaction(async (tx) => {
      for (const rule of rules.slice(start, start + BATCH)) await tx.insertObject(rule);
    });
  }
  await newVersion(store, 'first');
}

const newVersion = (store: Store, version: string) => store.transaction((tx) => tx.putDocument('governance', 'version', { version }));

/** Microseconds of each of `count` runs, after some that do not count. */
async function samples(run: () => Promise<unknown>, count: number, warmUp: number): Promise<number[]> {
  for (let n = 0; n < warmUp; n += 1) await run();
  const taken: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    await run();
    taken.push((performance.now() - began) * 1000);
  }
  return taken;
}

async function benchRules({ name, withStore }: StoreEngine, count: number): Promise<Row[]> {
  return withStore(async (store) => {
    await fill(store, [...ABOUT_THE_CALL, ...others(count - ABOUT_THE_CALL.length)]);
    const governance = createGovernance({ defaultVerdict: 'deny' });
    const judged = await governance.judgeCall(store, subject);
    if (judged.verdict !== 'allow') throw new Error(`the call to measure is ${judged.verdict}`);
    const judge = () => governance.judgeCall(store, subject);
    const calls = await samples(judge, SAMPLES, WARM_UP);
    const models = await samples(() => governance.judgeModel(store, modelCall()), SAMPLES, WARM_UP);
    const reads = await samples(() => store.getDocument('governance', 'version'), SAMPLES, WARM_UP);
    const title = `governance on ${name}, ${count.toLocaleString('en-US')} rules`;
    const bare = { unit: 'µs', referenceName: 'bare getDocument' };
    const row = (what: string, taken: readonly number[], p: number) =>
      compared({ name: `${title}: ${what}`, value: percentile(taken, p), reference: percentile(reads, p), ...bare });
    return [
      row('judge a call, median', calls, 50),
      row('judge a call, p99', calls, 99),
      row('judge a model, median', models, 50),
      { name: `${title}: first judgement after a change, median`, value: percentile(await reloads(store, judge), 50), unit: 'ms' },
    ];
  });
}

async function reloads(store: Store, judge: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < RELOADS; n += 1) {
    await newVersion(store, String(n));
    const began = performance.now();
    await judge();
    taken.push(performance.now() - began);
  }
  return taken;
}

export async function benchJudgement(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of await storeEngines('governance')) {
    for (const count of [FEW, MANY]) rows.push(...(await benchRules(engine, count)));
  }
  return rows;
}
