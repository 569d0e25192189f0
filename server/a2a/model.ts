// Tasks, messages and parts of A2A, independent of a version of its protocol (A2A 1.0 section 4).
import type { JsonObject } from '@svc/shared/json';

export const TASK_STATES = [
  'submitted',
  'working',
  'input-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
  'auth-required',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

const TERMINAL: ReadonlySet<TaskState> = new Set(['completed', 'failed', 'canceled', 'rejected']);
export const isTerminal = (state: TaskState): boolean => TERMINAL.has(state);

/** The state holds until the caller or a person acts. */
export const isInterrupted = (state: TaskState): boolean => state === 'input-required' || state === 'auth-required';

export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly metadata?: JsonObject }
  | { readonly kind: 'data'; readonly data: unknown; readonly metadata?: JsonObject }
  | FilePart;

export interface FilePart {
  readonly kind: 'file';
  readonly name?: string;
  readonly mediaType?: string;
  /** Base64; absent when the file is given by its address. */
  readonly bytes?: string;
  readonly uri?: string;
  readonly metadata?: JsonObject;
}

export interface Message {
  readonly messageId: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly Part[];
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

export interface Artifact {
  readonly artifactId: string;
  readonly name: string;
  readonly parts: readonly Part[];
}

export interface AgentTask {
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** RFC 3339 UTC. */
  readonly timestamp: string;
  /** Text of the status: the open question, or the reason of the end. */
  readonly message?: Message;
  readonly artifacts: readonly Artifact[];
  /** The oldest first. */
  readonly history: readonly Message[];
  readonly metadata?: JsonObject;
  /** The run answered with a message of its own in place of artifacts. */
  readonly reply?: Message;
}

/** A version of the protocol: `spec` is the plain one (`tasks/send`), then A2A 0.3, A2A 1.0. */
export type Dialect = 'spec' | 'v03' | 'v1';
