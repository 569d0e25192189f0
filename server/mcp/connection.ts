// Port of a connection to one MCP server: what the pool and the sync use. The adapter over the official client package is in client/.
import type { JsonObject } from '@svc/shared/json';
import { textStart } from '@svc/shared/text-start';
import { CallError } from '../engine/ports.ts';
import type { ProgramEvents, RunningProgram } from '../tools/isolation/isolation.ts';
import type { McpResult } from '../tools/mcp/result.ts';

/** A tool as the server lists it; nothing of it is trusted. */
export interface DiscoveredTool {
  readonly name: string;
  /** The name held the value of a Secret, which is masked: no call would reach the tool. */
  readonly nameMasked?: boolean;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject | undefined;
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined; readonly destructiveHint?: boolean | undefined } | undefined;
}

/** Longer names cannot be imported. */
const LISTED_NAME_MAX_CHARS = 256;
/** A name as `status.discoveredTools` has it. */
export const listedName = (name: string): string => textStart(name, LISTED_NAME_MAX_CHARS);

export interface ConnectionCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Some servers require copies of parameters in headers; the schema names them. */
  readonly inputSchema: JsonObject;
  readonly signal: AbortSignal;
  readonly idleMs: number;
  readonly maxMs: number;
  readonly onProgress: (message: string) => void;
  /** Names the tool in errors: `Tool "a/b"`. */
  readonly what: string;
}

/** A connection could not be made. */
export class ConnectError extends CallError {
  /** The end of what the program wrote to its standard error. */
  readonly stderrTail: string;

  constructor({ code, message, retryable, attempts, reason, problems }: CallError, stderrTail: string) {
    super(code, message, { retryable, attempts, problems, ...(reason !== undefined && { reason }) });
    this.stderrTail = stderrTail;
  }
}

export interface McpConnection {
  /** Negotiated protocol revision. */
  readonly protocolVersion: string;
  /** The server has given it a session id, which each request carries. */
  readonly hasSession: boolean;
  /** Every tool, all pages. Rejects with CallError. */
  listTools(signal: AbortSignal): Promise<readonly DiscoveredTool[]>;
  /** Rejects with CallError, or with the signal's reason. */
  call(call: ConnectionCall): Promise<McpResult>;
  /** Resolves if the server answers. Rejects with CallError, or with the signal's reason. */
  ping(signal: AbortSignal): Promise<void>;
  /** Aborts when the connection is lost or closed; the reason is a CallError. */
  readonly closed: AbortSignal;
  /** Called for each change of the list that the server reports. */
  onToolsChanged(listener: () => void): void;
  /** The end of what the program wrote to its standard error; empty for HTTP. */
  stderrTail(): string;
  /** Called for each part that the program writes to its standard error. */
  onStderr(listener: () => void): void;
  /** Ends the session or the program with its whole process group. Idempotent. */
  close(): Promise<void>;
}

/** How the program of a stdio server is started: on this machine, or in a container. */
export interface StdioProgram {
  /** Work before the time limit of the connection begins, such as the pull of an image. Rejects with CallError. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  /** Rejects with CallError, or with the signal's reason: nothing is left then. */
  readonly start: (events: ProgramEvents, signal: AbortSignal) => Promise<RunningProgram>;
}

/** Settings of a connection, with the values of its Secrets. */
export type McpTarget = {
  /** Names the server in errors: `McpServer "a/b"`. */
  readonly what: string;
  /** Undefined: the newest revision that both sides support. */
  readonly protocolVersion: string | undefined;
} & (
  | { readonly transport: 'http'; readonly endpoint: string; readonly credentials: () => Promise<Readonly<Record<string, string>>> }
  | {
      readonly transport: 'stdio';
      readonly program: StdioProgram;
    }
);
