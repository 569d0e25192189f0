// Overlay of a run on the picture of its system: a state for each agent, and the traffic of each route. Pure; independent of traces and
// screens.

export type NodeState = 'idle' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'denied' | 'cancelled' | 'skipped';

export interface NodeOverlay {
  readonly state: NodeState;
  /** The run has ended without a turn of it. */
  readonly missed?: boolean;
  /** From 1; shown from the second on. */
  readonly attempt?: number;
  readonly tokens?: number;
  readonly elapsedMs?: number;
  /** Start of the growing time of a running turn, in milliseconds since the epoch. */
  readonly growingFrom?: number;
  /** Arrived sources of a waiting join: `2/3`. */
  readonly arrived?: string;
  /** Place of the breakpoint where it waits. */
  readonly stop?: 'before' | 'after';
  /** Origin of an output that replaced its last turn: an earlier run, or `spec` for a text of the trial. */
  readonly pinned?: string;
}

export interface EdgeOverlay {
  /** A message is in flight. */
  readonly active: boolean;
  /** Number of messages over it so far. */
  readonly count: number;
  /** A message failed here permanently. */
  readonly dead: boolean;
}

/** `edges` are keyed by `routeKey(from, to)`: a run records both agents, not which of two parallel routes was taken. */
export interface RunOverlay {
  readonly nodes: ReadonlyMap<string, NodeOverlay>;
  readonly edges: ReadonlyMap<string, EdgeOverlay>;
  readonly ended?: boolean;
}

/** States that people look for first, in this order. */
const FOREMOST: readonly NodeState[] = ['waiting', 'running', 'failed', 'denied'];

/** The agent where the run is: it waits for a person, runs, or failed. */
export function foremostAgent({ nodes }: RunOverlay): string | undefined {
  const rank = ([, { state, arrived }]: [string, NodeOverlay]) => (arrived === undefined ? FOREMOST.indexOf(state) : -1);
  const ranked = [...nodes].map((node) => ({ id: node[0], rank: rank(node) })).filter((node) => node.rank >= 0);
  return ranked.sort((a, b) => a.rank - b.rank)[0]?.id;
}

/** The key of all traffic from one agent to another. Names contain no such arrow. */
export function routeKey(from: string, to: string): string {
  return `${from}→${to}`;
}

const STATE_WORDS: Readonly<Record<NodeState, string>> = {
  idle: 'Not started',
  running: 'Running',
  waiting: 'Waiting',
  succeeded: 'Succeeded',
  failed: 'Failed',
  denied: 'Denied',
  cancelled: 'Cancelled',
  skipped: 'Skipped',
};

/** The state in words, with a wait at a breakpoint and a pinned output by name. */
export function stateLabel({ state, stop, pinned, missed }: NodeOverlay): string {
  if (stop !== undefined) return stop === 'before' ? 'Waits before' : 'Waits after';
  if (state === 'succeeded' && pinned !== undefined) return pinned === 'spec' ? 'Pinned' : 'Reused';
  return missed === true ? 'Did not run' : STATE_WORDS[state];
}
