// Shapes of a run's records as the API returns them.
import type { JsonObject } from '../json.ts';
import type { MessageEntry, TraceEntry } from '../kinds/task/records.ts';

/** One page of a trace, in journal order. */
export interface TracePage {
  readonly name: string;
  readonly items: readonly TraceEntry[];
  /** Cursor of the next page; absent on the last. */
  readonly continue?: string;
}

/** Place of a model call in its run, in the words of its trace entries. */
export interface LiveCall {
  readonly request_id: string;
  readonly step_id: string;
  readonly attempt: number;
  readonly step: number;
  readonly branch_id: string;
  readonly agent: string;
}

/**
 * Text of a model call that runs, as it comes; not part of the record. It begins at offset `at` (UTF-16 units) of the call's text, so that a repeat changes nothing. A `reset` withdraws all text of the call: it failed or was aborted
 * (`taken_back`), it begins again on another worker (`sent_again`), or the reader was too slow for it (`behind`: the record will have it).
 */
export type LiveText = LiveCall &
  ({ readonly at: number; readonly text: string } | { readonly reset: 'taken_back' | 'sent_again' | 'behind' });

export interface MessagePage {
  readonly name: string;
  readonly namespace: string;
  readonly messages: readonly MessageEntry[];
  readonly continue?: string;
}

/** Lines are `<RFC 3339> text`. */
export interface LogPage {
  readonly name: string;
  readonly logs: readonly string[];
  readonly continue?: string;
}

/** Message metrics: counts by phase, tokens, cost. */
export interface MetricCounts {
  readonly messages: number;
  readonly queued: number;
  readonly running: number;
  readonly retrypending: number;
  readonly succeeded: number;
  readonly deadletter: number;
  readonly skipped: number;
  readonly in_flight: number;
  readonly retry_count: number;
  readonly tokens: number;
  /** Null as soon as one call has no known price: an unknown price is not zero. */
  readonly cost_usd: number | null;
  /** Model calls whose price is not known. */
  readonly unpriced_calls: number;
  readonly tool_calls: number;
}

/** With latencies in milliseconds. */
export interface MetricValues extends MetricCounts {
  readonly [latency: string]: unknown;
}

export interface RunMetrics {
  readonly name: string;
  readonly namespace: string;
  readonly generated_at: string;
  readonly totals: MetricValues;
  readonly per_agent: readonly (MetricValues & { readonly agent: string; readonly inbound: number; readonly outbound: number })[];
  readonly per_edge: readonly (MetricValues & { readonly from_agent: string; readonly to_agent: string })[];
}

/** A run in a worker's hands. */
export interface HeldRun {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339. Absent before its first attempt began. */
  readonly startedAt?: string;
  /** RFC 3339; each heartbeat of the worker moves it. */
  readonly leaseUntil: string;
}

export interface HeldRuns {
  /** Oldest first. */
  readonly runs: readonly HeldRun[];
  /** More runs exist, or may exist: possibly with no runs here, when more Tasks run than are searched. */
  readonly more: boolean;
}

/** A tool as the model receives it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: JsonObject;
}

/** A frozen object of a run. Endpoints and names of Secrets are left out; the fingerprint differs with any of them. */
interface FrozenObject {
  readonly name: string;
  readonly namespace: string;
  /** `sha256:…` of the whole spec. */
  readonly fingerprint: string;
}

/** All definitions that one attempt of a run froze when it began, to be compared with those of another run. */
export interface RunDefinitions {
  readonly attempt: number;
  readonly system: { readonly namespace: string; readonly name: string; readonly generation: number; readonly graph: JsonObject };
  readonly agents: readonly {
    readonly name: string;
    readonly prompt: string;
    /** Name of its ModelEndpoint. */
    readonly model: string;
    readonly tools: readonly string[];
    readonly roles: readonly string[];
    readonly allowed_tools: readonly string[];
    readonly settings: JsonObject;
  }[];
  readonly models: readonly (FrozenObject & { readonly provider: string; readonly default_model?: string; readonly options: JsonObject })[];
  readonly tools: readonly (FrozenObject & ToolDefinition & { readonly type: string; readonly risk_level: string })[];
}

/** Prompt and tools of an agent in one attempt of a run. */
export interface AgentDefinition {
  readonly agent: string;
  /** The system prompt, word for word. */
  readonly prompt: string;
  readonly tools: readonly ToolDefinition[];
  /** A tool that has succeeded is not offered again in the same turn. */
  readonly withdraws: boolean;
  /** The built-in tool by which it chooses a route, where routes have labels; offered until it was used. */
  readonly choice?: ToolDefinition;
}

/** One link of the chain that says why a Task is not moving. */
export interface ExplainReason {
  readonly code: string;
  readonly message: string;
  /** RFC 3339; when the wait ends by itself. */
  readonly until?: string;
  readonly object?: { readonly kind: string; readonly namespace: string; readonly name: string };
}

export interface Explanation {
  readonly name: string;
  readonly namespace: string;
  readonly phase: string;
  readonly reasons: readonly ExplainReason[];
}
