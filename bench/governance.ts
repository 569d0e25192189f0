// Cost of judging every call: from a model's answer to the entries that send its calls, over a store with many rules, beside the same
// with a judge that answers at once.
import { randomUUID } from 'node:crypto';
import { applyEntry } from '../server/engine/core/apply-entry.ts';
import { newRunState, type RunState } from '../server/engine/core/state.ts';
import type { Entry } from '../server/engine/core/entries.ts';
import { settleJudged } from '../server/engine/shell/judge.ts';
import type { Governance } from '../server/engine/ports.ts';
import { createGovernance } from '../server/governance/create-governance.ts';
import type { Store } from '../server/store/store.ts';
import { createInputChecks } from '../server/tools/input-check.ts';
import { allowAll, silentLog } from '../server/testing/engine.ts';
import { agentSnapshot, runSnapshot, simulate, toolSnapshot } from '../server/testing/simulate-run.ts';
import { compared, percentile, type Row } from './row.ts';
import { withStore } from './with-store.ts';

const ROUNDS = 2_000;
const WARM_UP = 500;
const PERMISSIONS = 200;
const POLICIES = 50;

/** Rules that all have to be examined: none of them names this run, and one permission asks for what its role gives. */
async function putRules(store: Store): Promise<void> {
  const now = new Date().toISOString();
  const base = { namespace: 'default', resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: now, updatedAt: now };
  const put = (kind: string, name: string, spec: Record<string, unknown>) =>
    store.transaction((tx) => tx.insertObject({ ...base, kind, name, uid: randomUUID(), spec, status: {} }));
  await put('AgentRole', 'clerk', { permissions: ['tool:call'] });
  const global = { match_mode: 'all', apply_mode: 'global' };
  await put('ToolPermission', 'governs', {
    ...global,
    tool_ref: 'tool',
    action: 'invoke',
    required_permissions: ['tool:call'],
    operation_rules: [{ operation_class: '*', verdict: 'allow' }],
  });
  for (let n = 0; n < PERMISSIONS; n += 1)
    await put('ToolPermission', `p${n}`, {
      ...global,
      tool_ref: `other-${n}`,
      action: 'invoke',
      required_permissions: [],
      operation_rules: [],
    });
  for (let n = 0; n < POLICIES; n += 1)
    await put('AgentPolicy', `policy-${n}`, { apply_mode: 'global', blocked_tools: [`blocked-${n}`], max_tokens_per_run: 1_000_000 + n });
}

/** A run up to the answer that requests this many calls. */
function askedFor(calls: number): readonly Entry[] {
  const agent = agentSnapshot('solo', { tools: ['tool'], roles: ['clerk'] });
  const plain = runSnapshot({ agents: [agent] });
  const input_schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const spec = { type: 'http', risk_level: 'low', operation_classes: ['read'], input_schema };
  const snapshot = { ...plain, tools: { tool: toolSnapshot('tool', spec) } };
  const toolCalls = Array.from({ length: calls }, (_, n) => ({ id: `c${n}`, name: 'tool', arguments: `{"n":${n}}` }));
  const { journal } = simulate(snapshot, { world: { model: ({ agentStep }) => (agentStep === 1 ? { toolCalls } : { content: 'done' }) } });
  return journal.slice(0, journal.findIndex(({ type }) => type === 'model.completed') + 1);
}

/** Milliseconds per call, one sample for each round. */
async function samples(store: Store, governance: Governance, calls: number): Promise<number[]> {
  const journal = askedFor(calls);
  const judge = { governance, tools: { inputs: createInputChecks(), canRun: () => Promise.resolve(undefined) }, log: silentLog };
  const folded = (): RunState => {
    const state = newRunState();
    for (const entry of journal) applyEntry(state, entry);
    return state;
  };
  const taken: number[] = [];
  for (let n = 0; n < WARM_UP + ROUNDS; n += 1) {
    const state = folded();
    const began = performance.now();
    const { entries } = await settleJudged(state, { now: 10_000, random: () => 0, worker: 'w' }, { judge, reader: store });
    const ms = performance.now() - began;
    if (entries.filter(({ type }) => type === 'tool.requested').length !== calls) throw new Error('a call was not let through');
    if (n >= WARM_UP) taken.push(ms / calls);
  }
  return taken;
}

export async function benchGovernance(): Promise<Row[]> {
  return withStore(async (store) => {
    await putRules(store);
    const governance = createGovernance({ defaultVerdict: 'allow' });
    const rows: Row[] = [];
    for (const calls of [1, 8]) {
      const plain = await samples(store, allowAll, calls);
      const governed = await samples(store, governance, calls);
      const name = `governance: a call judged and recorded, ${calls} per step`;
      const note = `${PERMISSIONS} permissions, ${POLICIES} policies`;
      const reference = percentile(plain, 50);
      rows.push({
        ...compared({ name: `${name}, p50`, value: percentile(governed, 50), unit: 'ms', reference, referenceName: 'no rules' }),
        note,
      });
      rows.push({ name: `${name}, p99`, value: percentile(governed, 99), unit: 'ms', note });
    }
    return rows;
  });
}
