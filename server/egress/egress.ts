// The port of outbound HTTP: models, tools and token endpoints all leave through it. The guard behind it is create-egress.ts.

export interface EgressRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** `Host` and the headers of a connection are the guard's own; they are dropped. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers with credentials. Dropped permanently when a redirect leaves the origin. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Permits loopback, private and carrier-grade-NAT addresses; never metadata, link-local or unspecified ones. */
  readonly allowPrivate: boolean;
  /** Flag by which an operator permits private addresses; errors name it. */
  readonly permittedBy: string;
  /**
   * For bodies that hold a secret: false hands a redirect back as the answer, `same-origin` refuses one that leaves the origin. For deliveries: `with-body`
   * hands back a redirect that would lose the body. Followed by default.
   */
  readonly followRedirects?: boolean | 'same-origin' | 'with-body';
}

export interface EgressResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read it to the end or call `discard`. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Drops what is left of the body and its connection. */
  discard(): void;
}

export interface Egress {
  /** Sends one request and follows redirects by default. Rejects with CallError, or with the signal's reason when aborted. */
  send(request: EgressRequest): Promise<EgressResponse>;
  /** Closes all connections. Idempotent. */
  close(): Promise<void>;
}
