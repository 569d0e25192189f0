// One route: an entry of the table from which both dispatch and OpenAPI are made, so that they always agree.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode, ServiceError } from '@svc/shared/errors';
import type { SystemTarget } from '../registry/authorise.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import type { TokenBuckets } from './gate/token-bucket.ts';
import type { Turns } from './outflow/turns.ts';
import type { Query } from './query.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `public` needs no token even when auth is on; the roles are the least that will do. */
export type Access = 'public' | 'reader' | 'approver' | 'writer' | 'admin' | 'a2a';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly deprecated?: boolean;
  /** The operation refuses a request without it. */
  readonly required?: true;
  /** The rule of a text, as a TextType has it; absent where the handler reads the value as another type. */
  readonly problem?: (text: string) => string | undefined;
}

/** Size limit of bodies that hold a few names and short texts. */
export const SMALL_BODY_MAX_BYTES = 64 * 1024;

export interface BodySpec {
  readonly description: string;
  readonly schema: JsonSchema;
  /** Absent: those of resources. */
  readonly contentTypes?: readonly string[];
  readonly optional?: boolean;
  /** Absent: the server's own limit. */
  readonly maxBytes?: number;
}

export interface ResponseSpec {
  readonly description: string;
  readonly schema?: JsonSchema;
  /** Default `application/json`; several where the request chooses one. */
  readonly contentType?: string | readonly string[];
  /** Header names with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Body of every error of a route, from authentication to the handler. Status and headers stay those of the error. */
export interface ErrorShape {
  readonly schema: JsonSchema;
  readonly body: (error: ServiceError, request: IncomingMessage) => unknown;
  readonly headers?: (error: ServiceError) => Readonly<Record<string, string>>;
}

/** Counts attempts on passwords per client address; throws `rate_limited`. */
export type AttemptLimit = Pick<TokenBuckets, 'take'>;

export interface Route {
  readonly method: Method;
  /** OpenAPI form, `/v1/agents/{name}`. */
  readonly path: string;
  readonly access: Access;
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly Parameter[];
  readonly headers?: readonly Parameter[];
  readonly body?: BodySpec;
  /** Successful answers by status, and others with a status or body of their own; the document adds the errors that follow from what the route is. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** The answer is read in portions, each in a turn of its own (`Call.portions`). Others that are read take one turn for the whole. */
  readonly inPortions?: true;
  /** The answer comes from another program, which may hang: it takes a turn among the answers of that program, which this names. */
  readonly asks?: (call: Call) => string;
  /** The answer may take minutes: the caller is authenticated again before it is sent. */
  readonly mayWait?: true;
  /** For access `public`: requests count against the limit of their client address. */
  readonly isLimited?: true;
  /** Requests that count against this limit of their client address, those of a caller without the role included. */
  readonly attempts?: AttemptLimit;
  /** Errors that do not. */
  readonly errors?: readonly ErrorCode[];
  /** For access `a2a`, which needs it: the system that the call invokes. The check of the caller against it comes before `handle`. Undefined: the call names no existing one, which `handle` answers. */
  readonly systemOf?: (call: Call) => Promise<SystemTarget | undefined>;
  /** For access `a2a`: the refusal of a token that does not list the system, in the form of its protocol. Absent: `forbidden`. */
  readonly handleUnlisted?: (call: Call) => Promise<Reply>;
  /** For protocols with an error body of their own; absent: that of this API. */
  readonly errorShape?: ErrorShape;
  readonly handle: (call: Call) => Promise<Reply>;
}

/** One request as handlers see it. */
export interface Call {
  readonly context: RequestContext;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The client's address, through trusted proxies. */
  readonly clientAddress: string;
  readonly request: IncomingMessage;
  /** Turns for reads of what may be large: the beginning of a list, the rest of it, and streams. */
  readonly firstPortions: Turns;
  readonly portions: Turns;
  readonly streamPortions: Turns;
  header(name: string): string | undefined;
  /** Identity of the caller on a public route: undefined when the request carries no credentials, or a sign-in that has ended. Throws `unauthorized` for a wrong token. */
  recognise(): Promise<Identity | undefined>;
  /** Schema of the body that the route declares; empty for a route without one. */
  readonly bodySchema: JsonSchema;
  /** Adds a `Warning` header for each sentence to the answer. Before its head is sent. */
  warn(sentences: readonly string[]): void;
  /** The body as it was sent, within the limits of size and time; of any content type. For signatures, which cover these bytes. */
  readBytes(): Promise<Buffer>;
  /** The documents of the body in any accepted syntax; empty when there is none. */
  readDocuments(): Promise<unknown[]>;
  /** The one document of the body; `invalid` when there is none or there are several. */
  readDocument(): Promise<unknown>;
}

export interface JsonReply {
  readonly type: 'json';
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

interface TextReply {
  readonly type: 'text';
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** A body that is not text, or has a coding of its own; `headers` say which. */
interface BytesReply {
  readonly type: 'bytes';
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** An answer that writes itself as it comes, head included. It may throw before the head is sent, never after. One without `drop` has begun nothing before `write`. */
export interface StreamReply {
  readonly type: 'stream';
  readonly contentType: string;
  /** `stillAllowed` rejects when the caller's token was revoked or the sign-in has ended. Streams that the hub holds have a check of their own. */
  readonly write: (response: ServerResponse, stillAllowed?: () => Promise<unknown>) => Promise<void>;
  /** Called in place of `write` for a reply that is not sent: ends what it has begun. */
  readonly drop?: () => void | Promise<void>;
}

export type Reply = JsonReply | TextReply | BytesReply | StreamReply;

/** JSON that is written already. */
export function jsonText(text: string, headers?: TextReply['headers']): Reply {
  return { type: 'text', status: 200, contentType: 'application/json', text, ...(headers && { headers }) };
}

export function json(body: unknown, options: Partial<Pick<JsonReply, 'status' | 'headers'>> = {}): JsonReply {
  return { type: 'json', status: options.status ?? 200, body, ...(options.headers && { headers: options.headers }) };
}
