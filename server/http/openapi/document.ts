// The OpenAPI 3.1 document, made from the route table and the kinds' schemas: what is served is what is described.
import type { ErrorCode } from '@svc/shared/errors';
import { ERROR_TABLE } from '@svc/shared/errors';
import { API_VERSION } from '@svc/shared/resource';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { JSON_TYPE, RESOURCE_TYPES } from '../body/documents.ts';
import type { JsonSchema, Parameter, ResponseSpec, Route } from '../route.ts';
import { EVENT_STREAM_TYPE } from '../sse/event-stream.ts';
import { COMPONENT_SCHEMAS, ref } from '../rest/schemas.ts';
import { PATH_TYPES } from '../text-types.ts';
import { kindExample } from './kind-example.ts';
import { specJsonSchema, statusJsonSchema } from './kind-schemas.ts';

const ERROR_DESCRIPTIONS: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid: 'The request is malformed; the message names the field, parameter or object.',
  unauthorized: 'A token or a session is required, or the one sent is not valid.',
  forbidden: 'The role does not permit this.',
  not_found: 'There is no such object or path.',
  timeout: 'The body did not arrive in time.',
  conflict: 'The state does not permit this: a stale or missing version, or an object that exists.',
  gone: 'The object after which the list continues no longer exists; start the list again.',
  too_large: 'The body, or the answer to the request, is too large.',
  unsupported_media_type: 'The Content-Type is not accepted.',
  rate_limited:
    'Too many requests of this caller, or too many open streams or sign-ins from this address; `Retry-After` says when to try again.',
  internal: 'The server failed; see its log under the `X-Request-Id`.',
  unavailable: 'The server cannot do this now; `Retry-After` says when to try again.',
};

/** Descriptions of the tags that are not kinds. */
const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  A2A: 'Agent systems that other agents call, their agent cards, and the agents that are known here.',
  Apply: 'Many objects of any kinds in one transaction.',
  Auth: 'Sign-in, users with passwords, browser sign-ins and API tokens.',
  Bundles: 'Agent systems as signed files that another server imports.',
  Chat: 'Agent systems for clients of the chat completions interface.',
  Decisions: 'Signed, chained records of what people decided.',
  Events: 'Facts about objects and runs, past ones and live.',
  Export: 'Everything that people declared, without values of Secrets.',
  Governance: 'Verdicts of policies, roles and permissions, ahead of a call.',
  MCP: 'Agent systems for clients of the Model Context Protocol.',
  Sealing: 'The public key that SealedSecrets are encrypted with.',
  System: 'Health, metrics, capabilities and namespaces of this deployment, and this description.',
};

function tags(routes: readonly Route[], kinds: readonly KindDefinition[]): JsonSchema[] {
  const descriptions = { ...TAG_DESCRIPTIONS, ...Object.fromEntries(kinds.map(({ kind, description }) => [kind, description])) };
  return [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: descriptions[name] }));
}

function resourceSchema(kind: KindDefinition): JsonSchema {
  return {
    type: 'object',
    description: kind.description,
    properties: {
      apiVersion: { type: 'string', const: API_VERSION },
      kind: { type: 'string', const: kind.kind },
      metadata: ref('Metadata'),
      spec: specJsonSchema(kind),
      status: { ...statusJsonSchema(kind), readOnly: true },
    },
    required: ['metadata', 'spec'],
    examples: [kindExample(kind)],
  };
}

const mediaTypes = ({ contentType = JSON_TYPE }: ResponseSpec): readonly string[] => [contentType].flat();

/** Which errors an operation can end in, by what it is. */
function errorCodes(route: Route): ErrorCode[] {
  const named = route.path.includes('{');
  const writes = route.method !== 'GET';
  const streams = Object.values(route.responses).some((response) => mediaTypes(response).includes(EVENT_STREAM_TYPE));
  const codes: readonly ErrorCode[] = [
    'invalid',
    ...(route.access === 'public' ? [] : (['unauthorized', 'forbidden', 'rate_limited'] as const)),
    ...(named ? (['not_found'] as const) : []),
    ...(writes ? (['conflict'] as const) : []),
    ...(route.body ? (['timeout', 'too_large'] as const) : []),
    ...(route.body && !route.body.contentTypes?.includes('*/*') ? (['unsupported_media_type'] as const) : []),
    ...(streams ? (['rate_limited'] as const) : []),
    ...(route.errors ?? []),
    'internal',
    'unavailable',
  ];
  return [...new Set(codes)];
}

const REQUEST_ID_HEADER = { 'X-Request-Id': { description: "Names the request in the server's log.", schema: { type: 'string' } } };

function response(spec: ResponseSpec): JsonSchema {
  const headers = Object.entries(spec.headers ?? {}).map(([name, description]) => [name, { description, schema: { type: 'string' } }]);
  return {
    description: spec.description,
    headers: { ...REQUEST_ID_HEADER, ...Object.fromEntries(headers) },
    ...(spec.schema && { content: Object.fromEntries(mediaTypes(spec).map((type) => [type, { schema: spec.schema }])) }),
  };
}

function responses(route: Route): JsonSchema {
  const own = Object.entries(route.responses).map(([status, spec]) => [status, response(spec)]);
  const shape = route.errorShape;
  const failure = (code: ErrorCode) =>
    shape ? response({ description: `The error \`${code}\`.`, schema: shape.schema }) : { $ref: `#/components/responses/${code}` };
  const bad = errorCodes(route).map((code) => [String(ERROR_TABLE[code].httpStatus), failure(code)]);
  return Object.fromEntries([...bad, ...own]) as JsonSchema;
}

const parameter =
  (place: 'query' | 'header') =>
  ({ problem: _, ...spec }: Parameter): JsonSchema => ({ ...spec, in: place });

function pathParameters(path: string): JsonSchema[] {
  const names = [...path.matchAll(/\{(.+?)\}/g)].map((match) => match[1] ?? '');
  return names.map((name) => ({ name, in: 'path', required: true, schema: PATH_TYPES[name]?.schema ?? { type: 'string' } }));
}

function requestBody({ body }: Route): JsonSchema | undefined {
  if (body === undefined) return undefined;
  const { contentTypes = RESOURCE_TYPES, schema } = body;
  const content = Object.fromEntries(contentTypes.map((type) => [type, { schema }]));
  return { description: body.description, required: body.optional !== true, content };
}

/** Query parameter of operations that write no resources. */
const UNKNOWN_PARAMETERS: JsonSchema = {
  name: 'fieldValidation',
  in: 'query',
  description:
    'What happens to query parameters and fields of the body that the operation does not have: `Warn` names them in `Warning` headers, `Strict` refuses, `Ignore` drops. A body whose schema has additional properties is accepted unchanged.',
  schema: { type: 'string', enum: ['Strict', 'Warn', 'Ignore'], default: 'Warn' },
};

/** Access that is not by a token or a session alone. */
const SECURITY: Readonly<Record<string, readonly JsonSchema[]>> = { public: [], a2a: [{ bearer: [] }, {}] };

const ACCESS_TEXTS: Readonly<Record<string, string>> = {
  public: 'Needs no token.',
  a2a: 'Needs role writer, or role a2a with the system in its list, when authentication is on. A public system needs no token.',
};

function operation(route: Route): JsonSchema {
  const parameters = [
    ...pathParameters(route.path),
    ...(route.query ?? []).map(parameter('query')),
    ...((route.query ?? []).some(({ name }) => name === 'fieldValidation') ? [] : [{ $ref: '#/components/parameters/fieldValidation' }]),
    ...(route.headers ?? []).map(parameter('header')),
  ];
  const body = requestBody(route);
  const access = ACCESS_TEXTS[route.access] ?? `Needs role ${route.access} when authentication is on.`;
  return {
    tags: [route.tag],
    operationId: route.operationId,
    summary: route.summary,
    description: route.description ? `${route.description}\n\n${access}` : access,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    ...(SECURITY[route.access] && { security: SECURITY[route.access] }),
    responses: responses(route),
  };
}

function paths(routes: readonly Route[]): JsonSchema {
  const all: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) (all[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  return all;
}

function errorResponses(): JsonSchema {
  const entries = Object.entries(ERROR_DESCRIPTIONS).map(([code, description]) => [
    code,
    { description, headers: REQUEST_ID_HEADER, content: { 'application/json': { schema: ref('Error') } } },
  ]);
  return Object.fromEntries(entries) as JsonSchema;
}

export interface OpenApiOptions {
  readonly version: string;
  /** Path prefix under which clients reach the API, such as `/svc`; empty for none. */
  readonly basePath: string;
}

/** The document as a value; the same for every request of a process. */
export function openApiDocument(
  routes: readonly Route[],
  kinds: readonly KindDefinition[],
  { version, basePath }: OpenApiOptions,
): JsonSchema {
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Agent Orchestration Service',
      version,
      description: 'A control plane for multi-agent workloads: declared resources, durable runs, live watches.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath || '/' }],
    security: [{ bearer: [] }, { session: [] }],
    tags: tags(routes, kinds),
    paths: paths(routes),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'svc_session',
          description:
            "Of browsers, made by POST /v1/auth/login; `__Host-svc_session` over HTTPS. Writes with it must come from the server's own pages.",
        },
      },
      parameters: { fieldValidation: UNKNOWN_PARAMETERS },
      responses: errorResponses(),
      schemas: { ...COMPONENT_SCHEMAS, ...Object.fromEntries(kinds.map((kind) => [kind.kind, resourceSchema(kind)])) },
    },
  };
}
