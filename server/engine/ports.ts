// Ports of the engine: a model to ask and a tool to call. models/ and tools/ implement these; the engine is independent of vendors.
import type { AccessRule } from '@svc/shared/api/access';
import type { CallPlan } from '@svc/shared/api/approvals';
import type { FieldError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';
import type { ToolSpec } from '@svc/shared/kinds/tool/normalize';
import type { NamespacedName } from '@svc/shared/resource';
import type { StoreReader } from '../store/store.ts';

// ---------------------------------------------------------------- models

export interface ToolCallRequest {
  /** The provider's id of this call; the result message carries it back. */
  readonly id: string;
  /** Our tool name (provider-safe aliases are undone by the adapter). */
  readonly name: string;
  /** JSON text exactly as the model wrote it; may be invalid JSON. */
  readonly arguments: string;
}

/** State that a provider attaches to an answer and demands back with it, such as signed thinking. Opaque to the engine: it is recorded, and shown nowhere. */
export type ProviderState = JsonObject;

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly toolCalls?: readonly ToolCallRequest[];
  readonly providerState?: ProviderState;
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | AssistantMessage
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
  /** All of them, those read from or written to a prompt cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens from the provider's prompt cache; absent when the provider does not report them. */
  readonly cachedInputTokens?: number;
  /** Input tokens written to that cache. */
  readonly cacheWriteTokens?: number;
  readonly source: 'provider' | 'estimated';
}

export interface ModelResponse {
  readonly content: string;
  readonly toolCalls: readonly ToolCallRequest[];
  readonly usage: TokenUsage;
  /** Cost of the call in US dollars; absent when its price is not known. */
  readonly costUsd?: number;
  /** `stop`, `tool_calls`, `length`, `content_filter` or the provider's word. */
  readonly finishReason: string;
  /** The model that answered. */
  readonly model: string;
  /** Goes back with this answer in the later requests of its turn. */
  readonly providerState?: ProviderState;
  /** Sentence for the record about how the answer was obtained. */
  readonly notice?: string;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Called with each piece of text as it streams in. */
  readonly onDelta?: (text: string) => void;
  /** Called while a call prepares for long, such as when its image is pulled. Not part of the record: it is published as events. */
  readonly onProgress?: (progress: CallProgress) => void;
}

export interface CallProgress {
  /** Dotted event type of the progress: `tool.image_pull`. */
  readonly type: string;
  readonly message: string;
  readonly data?: JsonObject;
}

export interface ModelPort {
  /** One model call. Rejects with CallError. */
  complete(endpoint: ModelEndpointRef, request: ModelRequest, options: CallOptions): Promise<ModelResponse>;
}

export interface EmbeddingsRequest {
  /** As `ModelRequest.requestId`. */
  readonly requestId: string;
  /** Texts to embed; none may be empty. */
  readonly inputs: readonly string[];
  /** Length of the vectors, for models that let one choose. */
  readonly dimensions?: number;
}

export interface EmbeddingsResponse {
  /** One vector for each input, in order, all of one length. */
  readonly vectors: readonly (readonly number[])[];
  readonly usage: TokenUsage;
  /** As `ModelResponse.costUsd`. */
  readonly costUsd?: number;
  /** The model that answered. */
  readonly model: string;
}

export interface EmbeddingsPort {
  /** Embeds texts, in several requests when they are many. Rejects with CallError. */
  embed(endpoint: ModelEndpointRef, request: EmbeddingsRequest, options: Pick<CallOptions, 'signal'>): Promise<EmbeddingsResponse>;
}

// ---------------------------------------------------------------- tools

/** A Tool as snapshotted at run start. */
export interface ToolRef {
  readonly namespace: string;
  readonly name: string;
  readonly spec: ToolSpec;
}

export interface ToolInvocation {
  readonly tool: ToolRef;
  /** Stable across a crash, unique across tasks: hash of task uid, attempt, branch, agent, step, call index. */
  readonly requestId: string;
  /** `namespace/name` of the Task. */
  readonly taskId: string;
  /** The Task's uid, which is its journal's stream: where word for this call from outside is sent. */
  readonly stream: string;
  readonly namespace: string;
  readonly agent: string;
  readonly input: JsonObject;
  /** The decision that lets this call run, when a person had to approve it: it runs only with the input that was approved. */
  readonly approved?: ApprovedCall;
}

/** Approval of the one call it is valid for. */
export interface ApprovedCall {
  /** Sequence number of the decision record. */
  readonly decision: number;
  /** `callHash` of the approved call (shared/call-hash.ts). */
  readonly callHash: string;
}

/** Cost of a model call that a tool made for its result, such as the embedding of a text. */
export interface CallUsage {
  /** The model that answered. */
  readonly model: string;
  readonly usage: TokenUsage;
  /** As `ModelResponse.costUsd`. */
  readonly costUsd?: number;
}

export interface ToolOutcome {
  /** Output that the model receives; JSON results are serialised. */
  readonly output: string;
  /** Attempts used, 1-based. */
  readonly attempts: number;
  /** Protocol version, for a tool that speaks the tool protocol. */
  readonly contractVersion?: string;
  /** Effective isolation facts for the trace. */
  readonly isolation?: JsonObject;
  readonly spent?: CallUsage;
}

export interface ToolPort {
  /** One tool call with the tool's own timeout and retries. Rejects with CallError. */
  invoke(call: ToolInvocation, options: CallOptions): Promise<ToolOutcome>;
  readonly inputs: InputChecks;
  readonly canRun: ToolCheck;
}

/** The error that every call of a tool would end in as things are; undefined for one that can run. Awaits nothing but `reader`, which may be a transaction. */
export type ToolCheck = (tool: ToolRef, reader: Pick<StoreReader, 'getObject' | 'listObjects'>) => Promise<CallError | undefined>;

/** Describes a call of the tool with this input for its reviewer. Pure. */
export type PlanCall = (tool: ToolRef, input: JsonObject) => CallPlan;

/** The part of a Tool that its inputs are checked against. */
export interface InputTool {
  readonly namespace: string;
  readonly name: string;
  readonly spec: Pick<ToolSpec, 'input_schema'>;
}

/** Checks of inputs against the input_schema of their tools, before an approval is requested and before the call is made. */
export interface InputChecks {
  /** The error of an input that does not fit, of an invalid schema, and of a check that takes too long; undefined for an input that fits. Rejects with `unavailable`. */
  check(tool: InputTool, input: JsonObject): Promise<CallError | undefined>;
  /** Check inside a transaction, which may not wait: throws OutsideFirst when the check is slow and has no result yet. */
  checkNow(tool: InputTool, input: JsonObject): CallError | undefined;
}

/** Reply of a tool to a call (tool protocol v1), clean of the call's secrets; its code is one of ours. */
export type ToolReply =
  /** `output` is the text for the model: a text result as it is, any other as JSON. */
  { readonly status: 'ok'; readonly output: string } | { readonly status: 'error' | 'denied'; readonly error: ToolReplyError };

export interface ToolReplyError {
  readonly code: CallErrorCode;
  /** Machine-readable: the tool's own, or its code where the closed set does not have it. */
  readonly reason?: string;
  readonly retryable: boolean;
  /** A sentence that names the tool. */
  readonly message: string;
}

/** A reply that came to this service by itself: the signal to the run of the call, which ends with it. */
export const TOOL_REPLY_SIGNAL = 'tool_reply';

/** `data` of a signal of that type. */
export interface ToolReplySignal {
  readonly request_id: string;
  readonly reply: ToolReply;
}

// ---------------------------------------------------------------- governance

/** Source of a verdict. */
export type RuleRef = AccessRule;

/** Rule that requires an approval, with the facts about its writer at that time. */
export interface ApprovalRule extends RuleRef {
  /** Principal of the last change of its spec; absent when a version that kept none wrote it. */
  readonly by?: string;
  /** Neither that person nor a creator of the Task may decide. */
  readonly require_other?: boolean;
}

/** One thing that was examined on the way to a verdict. */
export interface RuleFinding {
  readonly rule: RuleRef;
  readonly effect: 'allow' | 'deny' | 'approval_required' | 'none';
  /** One readable sentence. */
  readonly message: string;
}

/** Identity of a run: policies and permissions are matched against it. */
export interface GovernedRun {
  /** Absent where no Task is named (a check ahead of time). */
  readonly task?: NamespacedName;
  readonly system?: NamespacedName;
}

export interface CallSubject extends GovernedRun {
  readonly agent: NamespacedName & { readonly roles: readonly string[]; readonly allowedTools: readonly string[] };
  /** `ref` is how the agent names it. */
  readonly tool: NamespacedName & { readonly ref: string; readonly operationClasses: readonly string[] };
  /** One operation class to judge alone; absent: all of the tool's. */
  readonly operation?: string;
}

export interface ModelSubject extends GovernedRun {
  /** `model` is the one that will be called: the endpoint's default_model, or its name where it has none. */
  readonly endpoint: NamespacedName & { readonly model: string };
}

interface Judgement {
  /** Deciding rule; for an allowed call the rule that allowed it. */
  readonly rule: RuleRef;
  /** Every rule that was checked, in order. */
  readonly findings: readonly RuleFinding[];
}

export type CallVerdict =
  | (Judgement & { readonly verdict: 'allow' })
  | (Judgement & {
      readonly verdict: 'deny';
      readonly code: 'permission_denied' | 'policy_violation';
      readonly reason: string;
      readonly message: string;
    })
  | (Judgement & {
      readonly verdict: 'approval_required';
      readonly operation: string;
      readonly ttlMs: number;
      readonly reason: string;
      /** Every rule that requires an approval. */
      readonly askedBy: readonly ApprovalRule[];
    });

export type ModelVerdict =
  | (Judgement & { readonly verdict: 'allow'; readonly tokenLimit?: TokenLimit })
  | (Judgement & {
      readonly verdict: 'deny';
      readonly code: 'policy_violation' | 'permission_denied';
      readonly reason: string;
      readonly message: string;
    });

/** The smallest budget of the policies that govern the run. */
export interface TokenLimit {
  readonly tokens: number;
  readonly rule: RuleRef;
}

/** The judge of calls. Reads what is in force now; a rule that cannot be read denies. Rejects only with `unavailable`, when the store does not answer. */
export interface Governance {
  judgeCall(reader: StoreReader, subject: CallSubject): Promise<CallVerdict>;
  judgeModel(reader: StoreReader, subject: ModelSubject): Promise<ModelVerdict>;
}

// ---------------------------------------------------------------- errors

/** Failure codes of model and tool calls (docs/models.md, docs/tools.md "Errors"). */
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
  /** Delay that the other side requested in Retry-After. */
  readonly retryAfterMs?: number;
  /** Machine-readable detail, such as `http_503`. */
  readonly reason?: string;
  /** For an input that does not fit: each place with its problem. */
  readonly problems?: readonly FieldError[];
  /** Effective isolation facts of a call that ran and failed. */
  readonly isolation?: JsonObject;
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
  readonly problems: readonly FieldError[];
  readonly isolation: JsonObject | undefined;

  constructor(code: CallErrorCode, message: string, options: CallErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.attempts = options.attempts ?? 1;
    this.retryAfterMs = options.retryAfterMs;
    this.reason = options.reason;
    this.problems = options.problems ?? [];
    this.isolation = options.isolation;
  }
}
