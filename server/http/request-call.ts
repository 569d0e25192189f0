// A request as its handler reads it. A class, so that all calls share one shape: V8 gives every object literal with a getter a shape of its own,
// which keeps the request in memory until the next full collection (measured: half of the answers per second).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { YamlParser } from '../manifest/yaml-parser.ts';
import type { Identity, RequestContext } from '../registry/registry.ts';
import { bodySyntax, onlyDocument, parseDocuments, RESOURCE_TYPES } from './body/documents.ts';
import { readBody, type BodyLimits } from './body/read-body.ts';
import { repeatedFields } from './check-parameters.ts';
import type { CallerGate } from './gate/caller.ts';
import type { Outflow } from './outflow/outflow.ts';
import { Query } from './query.ts';
import { warningHeaders } from './rest/write-headers.ts';
import type { Call, JsonSchema } from './route.ts';
import type { Match } from './router.ts';

/** Parts of the server that a call uses. */
export interface CallParts {
  readonly gate: CallerGate;
  readonly limits: BodyLimits;
  readonly yaml: Pick<YamlParser, 'parse'>;
  readonly outflow: Outflow;
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** A request with its route and its caller. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Query string, without the question mark. */
  readonly search: string;
  readonly match: Match;
  readonly context: RequestContext;
}

export class RequestCall implements Call {
  readonly context: RequestContext;
  readonly params: Match['params'];
  readonly query: Query;
  readonly request: IncomingMessage;
  readonly #parts: CallParts;
  readonly #routed: RoutedRequest;
  #bytes: Promise<Buffer> | undefined;

  /** Throws `invalid` for a query that repeats a parameter. */
  constructor(parts: CallParts, routed: RoutedRequest) {
    this.context = routed.context;
    this.params = routed.match.params;
    this.query = new Query(routed.search);
    this.request = routed.request;
    this.#parts = parts;
    this.#routed = routed;
  }

  get clientAddress(): string {
    return this.#parts.clientAddress(this.request);
  }

  get firstPortions(): Outflow['firstPortions'] {
    return this.#parts.outflow.firstPortions;
  }

  get portions(): Outflow['portions'] {
    return this.#parts.outflow.portions;
  }

  get streamPortions(): Outflow['streamPortions'] {
    return this.#parts.outflow.streamPortions;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  recognise(): Promise<Identity | undefined> {
    return this.#parts.gate.tryAuthenticate(this.request, { response: this.#routed.response });
  }

  get bodySchema(): JsonSchema {
    return this.#routed.match.route.body?.schema ?? {};
  }

  warn(sentences: readonly string[]): void {
    const { Warning: warnings } = warningHeaders(sentences);
    if (warnings !== undefined) this.#routed.response.appendHeader('Warning', warnings);
  }

  readBytes(): Promise<Buffer> {
    const { limits } = this.#parts;
    const { maxBytes = Infinity } = this.#routed.match.route.body ?? {};
    return (this.#bytes ??= readBody(this.request, { ...limits, bodyMaxBytes: Math.min(limits.bodyMaxBytes, maxBytes) }));
  }

  async readDocuments(): Promise<unknown[]> {
    const { contentTypes = RESOURCE_TYPES } = this.#routed.match.route.body ?? {};
    const syntax = bodySyntax(this.request.headers, contentTypes);
    const { documents, repeated } = await parseDocuments(await this.readBytes(), syntax, this.#parts.yaml);
    this.warn(repeatedFields(repeated, this.query));
    return documents;
  }

  async readDocument(): Promise<unknown> {
    return onlyDocument(await this.readDocuments());
  }
}
