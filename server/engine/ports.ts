// What the engine needs from the world: a model to ask and a tool to call. models/ and tools/ implement these; the engine knows no vendor.
import type { JsonObject } from '@svc/shared/json';

// ---------------------------------------------------------------- models

export interface ToolCallRequest {
  /** The provider's id of this call; the result message carries it back. */
  readonly id: string;
  /** Our tool name (provider-safe aliases are undone by the adapter). */
  readonly name: string;
  /** JSON text exactly as the model wrote it; may be invalid JSON. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCallRequest[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly toolName: string; readonly content: string; readonly isError?: boolean };

export interface ToolSchema {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the parameters. */
  readonly inputSchema?: JsonObject;
}

/** The ModelEndpoint as snapshotted at run start, with its identity for Secret look-ups. */
export interface ModelEndpointRef {
  readonly namespace: string;
  readonly name: string;
  readonly spec: ModelEndpointSpec;
}

export interface ModelEndpointSpec {
  readonly provider: string;
  readonly base_url?: string | undefined;
  readonly default_model?: string | undefined;
  readonly options?: Readonly<Record<string, string>> | undefined;
  readonly auth?: { readonly secretRef?: string | undefined } | undefined;
  readonly allowPrivate?: boolean | undefined;
}

export interface ModelRequest {
  /** Stable across retries after a crash; sent as an idempotency key where the provider takes one. */
  readonly requestId: string;
  readonly agent: string;
  /** 1-based model step of this agent turn; the mock provider scripts by it. */
  readonly step: number;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSchema[];
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly source: 'provider' | 'estimated';
}

export interface ModelResponse {
  readonly content: string;
  readonly toolCalls: readonly ToolCallRequest[];
  readonly usage: TokenUsage;
  /** What the call cost in US dollars; absent when its price is not known. */
  readonly costUsd?: number;
  /** `stop`, `tool_calls`, `length`, `content_filter` or the provider's word. */
  readonly finishReason: string;
  /** The model that answered. */
  readonly model: string;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Called with each piece of text as it streams in. */
  readonly onDelta?: (text: string) => void;
}

export interface ModelPort {
  /** One model call. Rejects with CallError. */
  complete(endpoint: ModelEndpointRef, request: ModelRequest, options: CallOptions): Promise<ModelResponse>;
}

// ---------------------------------------------------------------- tools

/** A Tool as snapshotted at run start. `spec` is the normalised Tool spec. */
export interface ToolRef {
  readonly namespace: string;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface ToolInvocation {
  readonly tool: ToolRef;
  /** Stable across a crash, unique across tasks: hash of task uid, attempt, branch, agent, step, call index (DECISIONS section 7). */
  readonly requestId: string;
  /** `namespace/name` of the Task. */
  readonly taskId: string;
  readonly namespace: string;
  readonly agent: string;
  readonly input: JsonObject;
}

export interface ToolOutcome {
  /** What the model is told; JSON results are serialised. */
  readonly output: string;
  /** Attempts used, 1-based. */
  readonly attempts: number;
  readonly contractVersion?: string;
  /** Effective isolation facts for the trace. */
  readonly isolation?: JsonObject;
}

export interface ToolPort {
  /** One tool call with the tool's own timeout and retries. Rejects with CallError. */
  invoke(call: ToolInvocation, options: CallOptions): Promise<ToolOutcome>;
}

// ---------------------------------------------------------------- errors

/** Typed failure codes of model and tool calls. Source: DECISIONS section 7. */
export type CallErrorCode =
  | 'invalid_input'
  | 'unsupported_tool'
  | 'runtime_policy_invalid'
  | 'isolation_unavailable'
  | 'permission_denied'
  | 'secret_resolution_failed'
  | 'timeout'
  | 'canceled'
  | 'execution_failed'
  | 'auth_invalid'
  | 'auth_forbidden'
  | 'egress_blocked'
  | 'rate_limited'
  | 'malformed_response'
  | 'model_not_found';

export interface CallErrorOptions {
  readonly retryable: boolean;
  /** Attempts used before giving up. */
  readonly attempts?: number;
  /** What the other side asked us to wait, from Retry-After. */
  readonly retryAfterMs?: number;
  /** Machine-readable detail, such as `http_503`. */
  readonly reason?: string;
  readonly cause?: unknown;
}

/** A failed model or tool call. `message` is safe to record and to show to the model: no secrets. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: CallErrorCode;
  readonly retryable: boolean;
  readonly attempts: number;
  readonly retryAfterMs: number | undefined;
  readonly reason: string | undefined;

  constructor(code: CallErrorCode, message: string, options: CallErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.attempts = options.attempts ?? 1;
    this.retryAfterMs = options.retryAfterMs;
    this.reason = options.reason;
  }
}
