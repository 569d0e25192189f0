// Comparison of two runs: items of only one, and differences of common ones. Pure.
import type { MetricValues, RunMetrics } from '@svc/shared/api/runs';
import type { MessageEntry, TraceEntry } from '@svc/shared/kinds/task/records';
import type { RunOverlay } from '../../../graph/overlay.ts';

/** An item of both runs, or of one of them. */
export interface Pair<Thing> {
  readonly key: string;
  readonly left: Thing | undefined;
  readonly right: Thing | undefined;
}

/** Pairs by key, in the order of the left, with items of the right only after it. */
function pairBy<Thing>(left: readonly Thing[], right: readonly Thing[], keyOf: (thing: Thing) => string): Pair<Thing>[] {
  const rights = new Map(right.map((thing) => [keyOf(thing), thing]));
  const lefts = new Map(left.map((thing) => [keyOf(thing), thing]));
  const first = left.map((thing) => ({ key: keyOf(thing), left: thing, right: rights.get(keyOf(thing)) }));
  const rest = right.filter((thing) => !lefts.has(keyOf(thing))).map((thing) => ({ key: keyOf(thing), left: undefined, right: thing }));
  return [...first, ...rest];
}

/** Numbers each item among those of the same name, so that the second turn of an agent is paired with the second. */
function numbered<Thing>(things: readonly Thing[], nameOf: (thing: Thing) => string): { readonly key: string; readonly thing: Thing }[] {
  const counts = new Map<string, number>();
  return things.map((thing) => {
    const name = nameOf(thing);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { key: count === 1 ? name : `${name} (${count})`, thing };
  });
}

function pairNumbered<Thing>(left: readonly Thing[], right: readonly Thing[], nameOf: (thing: Thing) => string): Pair<Thing>[] {
  const pairs = pairBy(numbered(left, nameOf), numbered(right, nameOf), ({ key }) => key);
  return pairs.map((pair) => ({ key: pair.key, left: pair.left?.thing, right: pair.right?.thing }));
}

export function pairMessages(left: readonly MessageEntry[], right: readonly MessageEntry[]): Pair<MessageEntry>[] {
  return pairNumbered(left, right, ({ from_agent = '', to_agent }) => `${from_agent === '' ? 'start' : from_agent} → ${to_agent}`);
}

export function pairAgents(left: RunMetrics, right: RunMetrics): Pair<MetricValues & { readonly agent: string }>[] {
  return pairBy(left.per_agent, right.per_agent, ({ agent }) => agent);
}

/** One model call or tool call of an agent, as far as it can be distinguished from others. */
export interface Step {
  readonly agent: string;
  readonly what: string;
  readonly failed: boolean;
  readonly latencyMs: number | undefined;
  readonly tokens: number | undefined;
  readonly input: unknown;
  readonly output: unknown;
}

const STEP_TYPES: ReadonlySet<TraceEntry['type']> = new Set([
  'model_output',
  'model_error',
  'model_resolution_error',
  'tool_call',
  'tool_error',
  'tool_permission_denied',
]);

export function stepsOf(entries: readonly TraceEntry[]): Step[] {
  return entries
    .filter(({ type }) => STEP_TYPES.has(type))
    .map((entry) => ({
      agent: entry.agent ?? '',
      what: entry.tool ?? 'model',
      failed: entry.error_code !== undefined,
      latencyMs: entry.latency_ms,
      tokens: entry.tokens,
      input: entry.input,
      output: entry.output ?? entry.message,
    }));
}

/** Aligned by agent and by occurrence. */
export function pairSteps(left: readonly Step[], right: readonly Step[]): Pair<Step>[] {
  return pairNumbered(left, right, ({ agent, what }) => `${agent} · ${what}`);
}

export interface PathDifference {
  /** Agents and edges that only one of the runs used. */
  readonly onlyLeft: readonly string[];
  readonly onlyRight: readonly string[];
  readonly both: number;
}

function visited({ nodes, edges }: RunOverlay): string[] {
  const agents = [...nodes].flatMap(([name, { state }]) => (state === 'idle' ? [] : [name]));
  return [...agents, ...[...edges].flatMap(([key, { count }]) => (count > 0 ? [key] : []))];
}

export function pathDifference(left: RunOverlay, right: RunOverlay): PathDifference {
  const [a, b] = [visited(left), visited(right)];
  return {
    onlyLeft: a.filter((each) => !b.includes(each)),
    onlyRight: b.filter((each) => !a.includes(each)),
    both: a.filter((each) => b.includes(each)).length,
  };
}

/** Surplus of the right one; undefined where one of them is unknown. */
export function difference(left: number | null | undefined, right: number | null | undefined): number | undefined {
  return left === null || left === undefined || right === null || right === undefined ? undefined : right - left;
}
