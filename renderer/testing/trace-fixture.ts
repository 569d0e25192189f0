// Generates traces of any length that look like those of real runs, equal for equal numbers.
import type { TraceEntry } from '@svc/shared/kinds/task/records';

export interface FixtureOptions {
  /** Number of entries; the last one ends the run unless it is live. */
  readonly entries: number;
  readonly agents?: number;
  /** Leaves the run open. */
  readonly live?: boolean;
  readonly seed?: number;
  /** Start time, in milliseconds since the epoch. */
  readonly start?: number;
}

/** Mulberry32: small, good enough, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const TOOLS = ['ledger-search', 'web-fetch', 'sql-query', 'invoice-update', 'mail-send'];

class Recorder {
  readonly entries: TraceEntry[] = [];
  readonly random: () => number;
  at: number;
  step = 0;
  call = 0;

  constructor({ seed = 1, start = Date.UTC(2026, 0, 5, 9) }: FixtureOptions) {
    this.random = randomOf(seed);
    this.at = start;
  }

  pass(least: number, most: number): number {
    const ms = Math.round(least + this.random() * (most - least));
    this.at += ms;
    return ms;
  }

  add(fields: Partial<TraceEntry> & Pick<TraceEntry, 'type'>): void {
    const step = fields.step ?? 0;
    const step_id = `a001.s${String(step).padStart(4, '0')}`;
    this.entries.push({ timestamp: new Date(this.at).toISOString(), step_id, attempt: 1, step, ...fields });
  }
}

interface Place {
  readonly agent: string;
  readonly branch_id: string;
}

function addToolCall(run: Recorder, place: Place, tool: string): void {
  const tool_request_id = `req-${(run.call += 1)}`;
  const base = { ...place, tool, tool_request_id, step: run.step, tool_attempt: 1 };
  const input = { query: `open items ${run.call}`, limit: 5 };
  const odds = run.random();
  if (odds < 0.02) {
    const approval = `approval-${run.call}`;
    run.add({ ...base, type: 'tool_approval_pending', approval, input });
    run.pass(60_000, 7_200_000);
    run.add({ ...base, type: 'tool_approval_resolved', approval, decision: 'approved', reviewer: 'ana' });
  }
  const latency_ms = run.pass(20, 900);
  if (odds > 0.95)
    run.add({ ...base, type: 'tool_error', latency_ms, input, error_code: 'timeout', retryable: true, message: 'The tool did not answer' });
  else
    run.add({
      ...base,
      type: 'tool_call',
      latency_ms,
      input,
      output: `{"rows":[{"id":${run.call},"total":${Math.round(run.random() * 1e5)}}]}`,
    });
}

function addStep(run: Recorder, place: Place, last: boolean): void {
  run.step += 1;
  const { step } = run;
  run.add({ ...place, type: 'model_call', step });
  const latency_ms = run.pass(300, 4_000);
  const tool = TOOLS[Math.floor(run.random() * TOOLS.length)] ?? 'ledger-search';
  const input_tokens = Math.round(400 + run.random() * 4_000);
  const output_tokens = Math.round(20 + run.random() * 400);
  const spent = {
    latency_ms,
    input_tokens,
    output_tokens,
    tokens: input_tokens + output_tokens,
    cost_usd: input_tokens * 3e-6,
    model: 'desk-large',
  };
  run.add({
    ...place,
    ...spent,
    type: 'model_output',
    step,
    finish_reason: last ? 'stop' : 'tool_calls',
    output: last ? 'All items were looked at.' : '',
    ...(!last && { asked_tools: [tool] }),
  });
  if (!last) addToolCall(run, place, tool);
}

function addTurn(run: Recorder, place: Place, next: Place): void {
  run.add({ ...place, type: 'agent_message_received', message: `message msg-${run.entries.length}` });
  run.add({ ...place, type: 'agent_start' });
  if (run.random() < 0.04) {
    run.pass(100, 2_000);
    const error = { ...place, error_code: 'timeout', retryable: true, message: 'The model did not answer in time' };
    run.add({ ...error, type: 'agent_error' });
    run.add({ ...error, type: 'agent_message_retry_scheduled' });
    run.pass(1_000, 8_000);
    run.add({ ...place, type: 'agent_start' });
  }
  const steps = 1 + Math.floor(run.random() * 5);
  for (let step = 1; step <= steps; step += 1) addStep(run, place, step === steps);
  run.add({ ...place, type: 'agent_end', output: 'All items were looked at.' });
  run.add({ ...place, type: 'agent_message_processed' });
  const { agent: to_agent, branch_id } = next;
  run.add({ ...place, branch_id, type: 'agent_message', to_agent, message: `${place.agent} -> ${to_agent}` });
}

/** Exactly that many entries, in journal order. */
export function traceFixture(options: FixtureOptions): TraceEntry[] {
  const { entries: wanted, agents = 12, live = false } = options;
  const run = new Recorder(options);
  const nameOf = (index: number) => `agent-${String((index % agents) + 1).padStart(2, '0')}`;
  run.add({ type: 'task_start', input: { request: 'Look at all open items.' }, message: 'attempt 1 of bench begins at agent-01' });
  const placeOf = (turn: number): Place => ({ agent: nameOf(turn), branch_id: turn % 3 === 0 ? 'b001' : `b001.00${turn % 3}` });
  for (let turn = 0; run.entries.length < wanted; turn += 1) addTurn(run, placeOf(turn), placeOf(turn + 1));
  const entries = run.entries.slice(0, live ? wanted : Math.max(1, wanted - 1));
  if (live || wanted < 2) return entries;
  const timestamp = entries.at(-1)?.timestamp ?? new Date(run.at).toISOString();
  return [
    ...entries,
    { timestamp, step_id: 'a001.s0000', attempt: 1, step: 0, type: 'task_summary', message: 'Succeeded', output: 'Done.' },
  ];
}
