// One entry of a task's trace as the API returns it.

export interface TraceEntry {
  readonly timestamp: string;
  readonly type: string;
  readonly step_id?: string;
  readonly attempt?: number;
  readonly step?: number;
  readonly branch_id?: string;
  readonly agent?: string;
  readonly tool?: string;
  /** The same on a call's request and on its result. */
  readonly tool_request_id?: string;
  readonly message?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly latency_ms?: number;
  readonly tokens?: number;
  readonly error_code?: string;
  readonly error_reason?: string;
  /** Name of the approval that an entry is about, and its reason: `policy` or `unknown_outcome`. */
  readonly approval?: string;
  readonly tool_reason?: string;
  readonly decision?: string;
  readonly reviewer?: string;
  readonly comment?: string;
  /** Where the tool ran, when it was apart from the worker. */
  readonly isolation?: { readonly mode?: string };
}
