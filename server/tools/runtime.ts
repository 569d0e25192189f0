// Port of a tool runtime: one adapter per tool type behind the pipeline of create-tool-port.ts. Independent of any type.
import type { Clock } from '../clock.ts';
import type { Egress } from '../egress/egress.ts';
import type { CallProgress, InputChecks, ToolInvocation, ToolRef, ToolOutcome } from '../engine/ports.ts';
import type { Isolation } from './isolation/isolation.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../log/log.ts';
import type { ToolCeilings } from './ceilings.ts';
import type { AgentCalls } from './a2a/a2a-tool.ts';
import type { MemoryCalls } from './memory/memory-tool.ts';
import type { McpCalls } from './mcp/mcp-tool.ts';
import type { RetryRule } from './retry.ts';

/** A call on its way through the pipeline: its input has passed the schema, and governance and reviewers have allowed it. */
export interface ToolCall extends ToolInvocation {
  /** The caller's signal. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: CallProgress) => void;
  /** Values that must not appear in output or errors, for secrets that a runtime resolves by itself. Credentials are known already. */
  readonly conceal: (values: readonly string[]) => void;
}

/** How calls of a Tool are made. */
export interface CallSettings {
  /** Time limit of one attempt. */
  readonly timeoutMs: number;
  readonly retry: RetryRule;
}

/** How a call proves who it is. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Values that must not appear in outputs and errors. */
  readonly secrets: readonly string[];
  /** Present when the token came from a token endpoint: drops it, so that the next call requests a new one. */
  readonly evict?: () => void;
}

/** One attempt, with its secrets resolved and its time limited. */
export interface ToolRun extends ToolCall {
  /** 1-based. All attempts carry the same request id. */
  readonly attempt: number;
  /** Aborts at the attempt's deadline and with the caller, with a CallError as the reason. */
  readonly signal: AbortSignal;
  /** When this attempt's time is up, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly settings: CallSettings;
  readonly credentials: Credentials;
  /** Reads the current credentials, for a call that lasts long after its first request. */
  readonly freshCredentials: () => Promise<Credentials>;
}

/** Raw result of a runtime, before the pipeline has redacted and capped it. */
export type ToolAnswer = Omit<ToolOutcome, 'attempts'>;

export interface ToolRuntime {
  /** The value of `Tool.spec.type` it runs. */
  readonly type: string;
  /**
   * Prepares the parts that must be present before the time of the first attempt begins, such as an image; it bounds its own time.
   * Rejects with CallError; a retryable one costs an attempt, and the next one prepares again.
   */
  prepare?(call: ToolCall): Promise<void>;
  /** The longest one attempt may take, where the runtime keeps the time limit of the settings by itself. */
  attemptMaxMs?(settings: CallSettings): number;
  /**
   * One attempt. Rejects with CallError, or with the signal's reason when aborted: retries, timeouts, a second try after
   * `auth_invalid` with new credentials, redaction and the cap are the pipeline's. Leaves nothing behind in any outcome.
   */
  run(call: ToolRun): Promise<ToolAnswer>;
  /** Closes connections and warm parts. Idempotent. */
  close?(): Promise<void>;
}

/** Dependencies of runtimes; each takes those it needs. */
export interface RuntimeDeps {
  readonly egress: Egress;
  readonly secrets: SecretResolver;
  readonly clock: Clock;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
  readonly log: Logger;
  readonly store: Pick<Store, 'transaction' | 'getDocument'>;
  readonly config: ToolPortConfig;
  /** Where commands and images run. */
  readonly isolation: Isolation;
  /** PATH of this process: where commands without isolation are looked up. */
  readonly searchPath: string;
  /** Setting that permits private addresses, for errors. */
  readonly permittedBy: string;
  /** The URL under which tools reach this service's API, for callbacks; undefined: they are polled. */
  readonly callbackUrl: () => string | undefined;
  /** Connections to MCP servers. */
  readonly mcp: McpCalls;
  /** Remote agents. */
  readonly agents: AgentCalls;
  /** Memories of agents. */
  readonly memories: MemoryCalls;
  readonly inputs: InputChecks;
}

/** How tools run, as the operator's flags say. */
export interface ToolPortConfig {
  readonly ceilings: ToolCeilings;
  /** `--allow-private-tool-endpoints`. */
  readonly allowPrivateEndpoints: boolean;
  /** `--a2a-allow-private-endpoints`: whether remote agents and receivers of push notifications may be at loopback and private addresses. */
  readonly allowPrivateAgents: boolean;
  readonly isolationBackend: 'auto' | 'docker' | 'none';
  /** Docker's network mode for containers that name none. */
  readonly containerNetwork: string;
  /** Image of containers of tools that are not of type cli. */
  readonly containerImage: string | undefined;
  readonly unisolatedCli: 'admin' | 'never';
  readonly cliArgvMaxBytes: number;
  /** Undefined: tools with isolation_mode kubernetes are refused. */
  readonly kubernetes: KubernetesConfig | undefined;
}

/** Absent members: what the cluster this process runs in gives it. */
export interface KubernetesConfig {
  readonly apiUrl: string | undefined;
  readonly namespace: string | undefined;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly jobTtlMs: number;
}

/** Option that permits private addresses to tools, for errors. */
export const PERMITTED_BY = 'the server option --allow-private-tool-endpoints';

/** The most a tool may answer; runtimes stop reading there. */
export const OUTPUT_MAX_BYTES = 1024 * 1024;

/** How errors name the tool. */
export function toolTitle(tool: Pick<ToolRef, 'namespace' | 'name'>): string {
  return `Tool "${tool.namespace}/${tool.name}"`;
}
