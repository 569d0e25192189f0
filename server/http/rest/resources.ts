// Endpoints that every kind has, made from its definition.
import { sortNames, type KindDefinition } from '@svc/shared/kinds/define';
import { defined } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { textOf } from '../../registry/mapping.ts';
import type { NamedWriteRequest, Registry, WriteRequest, WriteResult } from '../../registry/registry.ts';
import { fieldValidationOf } from '../check-parameters.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE, RESOURCE_TYPES } from '../body/documents.ts';
import { json, jsonText, type BodySpec, type Call, type Reply, type Route } from '../route.ts';
import { selector } from '../text-types.ts';
import { listResources } from './list.ts';
import {
  afterParameter,
  dryRunParameter,
  fieldValidationParameter,
  ifMatchHeader,
  ifNoneMatchHeader,
  labelSelectorParameter,
  limitParameter,
  integer,
  LIST_LIMIT,
  nameContainsParameter,
  namespaceParameter,
  namespacesParameter,
  objectOf,
  offsetParameter,
  resourceVersionParameter,
  searchParameter,
  sortParameter,
  textFilter,
  uidParameter,
  viewParameter,
} from './parameters.ts';
import { arrayOf } from './schema-parts.ts';
import { pageOf, ref } from './schemas.ts';
import { writeHeaders } from './write-headers.ts';

const WRITE_QUERY = [namespaceParameter, dryRunParameter, fieldValidationParameter];
const NAMED_WRITE_QUERY = [...WRITE_QUERY, uidParameter];
const VERSIONS_DEFAULT = 100;
const versionLimitParameter = integer('limit', 'Versions of a page.', { ...LIST_LIMIT, default: VERSIONS_DEFAULT });
const VERSION_HEADERS = { ETag: 'The resourceVersion, in quotes, for `If-Match`.' };
const WRITE_HEADERS = {
  Warning: 'One for each thing the server changed or dropped.',
  'X-Svc-CRD-Managed': 'Present when a CRD manages the object.',
};
const STORED_HEADERS = { ...VERSION_HEADERS, ...WRITE_HEADERS };

async function writeRequest({ kind }: KindDefinition, call: Call): Promise<WriteRequest> {
  const { query } = call;
  const preconditions = { ifMatch: call.header('if-match'), ifNoneMatch: call.header('if-none-match') };
  const given = defined({ fieldValidation: fieldValidationOf(query), ...preconditions });
  return { kind, namespace: query.namespace(), dryRun: query.flag('dryRun'), ...given, body: await call.readDocument() };
}

async function namedWriteRequest(kind: KindDefinition, call: Call): Promise<NamedWriteRequest> {
  return { ...(await writeRequest(kind, call)), name: objectOf(call).name, ...uidOf(call) };
}

const uidOf = ({ query }: Call) => defined({ uid: query.text('uid') });

/** `an Agent`, `a Task`. */
const article = (kind: string): string => `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;

const keyOf = ({ kind }: KindDefinition, call: Call) => ({ kind, ...objectOf(call) });

const versionHeaders = ({ resourceVersion }: Resource['metadata']) => ({ ETag: `"${resourceVersion}"` });

/** The version of a dry run is stored nowhere: an `If-Match` with it would let a later write of somebody else be overwritten. */
function writtenVersion({ query }: Call, metadata: Resource['metadata']) {
  return query.flag('dryRun') ? {} : versionHeaders(metadata);
}

function written(call: Call, result: WriteResult): Reply {
  const status = result.action === 'created' && !call.query.flag('dryRun') ? 201 : 200;
  return json(result.resource, { status, headers: { ...writtenVersion(call, result.resource.metadata), ...writeHeaders(result) } });
}

const versionsOf = (call: Call) => defined({ resourceVersion: call.query.text('resourceVersion'), ifMatch: call.header('if-match') });

const bodyOf = (kind: KindDefinition): BodySpec => ({ description: 'The whole resource.', schema: ref(kind.kind) });

function collectionRoutes(kind: KindDefinition, registry: Registry): Route[] {
  const path = `/v1/${kind.plural}`;
  const fieldSelector = textFilter(
    'fieldSelector',
    selector,
    `Comma-separated \`path=value\` or \`path!=value\` on ${kind.fieldSelectors.join(', ')}.`,
  );
  return [
    {
      method: 'GET',
      path,
      access: 'reader',
      tag: kind.kind,
      operationId: `list${kind.kind}s`,
      summary: `List ${kind.plural}`,
      description: 'Without `limit` and `after`: a JSON array of every match. With either: one page.',
      query: [
        namespacesParameter,
        limitParameter,
        afterParameter,
        labelSelectorParameter,
        ...(kind.fieldSelectors.length > 0 ? [fieldSelector] : []),
        nameContainsParameter,
        ...(kind.search ? [searchParameter] : []),
        sortParameter(sortNames(kind)),
        ...(kind.heavyStatusFields.length > 0 ? [viewParameter] : []),
        ...(kind.offsetPaging ? [offsetParameter] : []),
      ],
      responses: { 200: { description: 'The matches.', schema: { oneOf: [arrayOf(ref(kind.kind)), pageOf(ref(kind.kind))] } } },
      inPortions: true,
      errors: ['gone'],
      handle: (call) => listResources(registry, kind, call),
    },
    {
      method: 'POST',
      path,
      access: 'writer',
      tag: kind.kind,
      operationId: `create${kind.kind}`,
      summary: `Create or apply ${article(kind.kind)}`,
      description:
        'Creates the object, or replaces spec, labels and annotations of the one that has its name. Unchanged content writes nothing.',
      query: WRITE_QUERY,
      headers: [ifMatchHeader, ifNoneMatchHeader],
      body: bodyOf(kind),
      responses: {
        200: { description: 'The object existed, or this was a dry run.', schema: ref(kind.kind), headers: STORED_HEADERS },
        201: { description: 'Created.', schema: ref(kind.kind), headers: STORED_HEADERS },
      },
      handle: async (call) => written(call, await registry.post(call.context, await writeRequest(kind, call))),
    },
  ];
}

function objectRoutes(kind: KindDefinition, registry: Registry): Route[] {
  const path = `/v1/${kind.plural}/{name}`;
  const shared = { path, tag: kind.kind };
  const stored = { 200: { description: 'The stored object.', schema: ref(kind.kind), headers: STORED_HEADERS } };
  return [
    {
      ...shared,
      method: 'GET',
      access: 'reader',
      operationId: `get${kind.kind}`,
      summary: `Get ${article(kind.kind)}`,
      query: [namespaceParameter],
      responses: { 200: { description: 'The object.', schema: ref(kind.kind), headers: VERSION_HEADERS } },
      handle: async (call) => {
        const resource = await registry.get(call.context, keyOf(kind, call));
        return jsonText(textOf(resource), versionHeaders(resource.metadata));
      },
    },
    {
      ...shared,
      method: 'PUT',
      access: 'writer',
      operationId: `replace${kind.kind}`,
      summary: `Replace ${article(kind.kind)}`,
      description: 'Needs the current version, in the body or in `If-Match`; without one, or with another, it is 409.',
      query: NAMED_WRITE_QUERY,
      headers: [ifMatchHeader],
      body: bodyOf(kind),
      responses: stored,
      handle: async (call) => written(call, await registry.put(call.context, await namedWriteRequest(kind, call))),
    },
    {
      ...shared,
      method: 'PATCH',
      access: 'writer',
      operationId: `patch${kind.kind}`,
      summary: `Change parts of ${article(kind.kind)}`,
      description: 'A JSON merge patch (RFC 7386) on spec, labels and annotations. A version is optional.',
      query: NAMED_WRITE_QUERY,
      headers: [ifMatchHeader],
      body: {
        description: 'The parts to change; null removes.',
        schema: { type: 'object' },
        contentTypes: [MERGE_PATCH_TYPE, ...RESOURCE_TYPES],
      },
      responses: stored,
      handle: async (call) => written(call, await registry.patch(call.context, await namedWriteRequest(kind, call))),
    },
    {
      ...shared,
      method: 'DELETE',
      access: 'writer',
      operationId: `delete${kind.kind}`,
      summary: `Delete ${article(kind.kind)}`,
      query: [namespaceParameter, dryRunParameter, resourceVersionParameter, uidParameter],
      headers: [ifMatchHeader],
      responses: { 200: { description: 'The last state of the object.', schema: ref(kind.kind), headers: WRITE_HEADERS } },
      handle: async (call) => {
        const guard = { dryRun: call.query.flag('dryRun'), ...versionsOf(call), ...uidOf(call) };
        const removed = await registry.remove(call.context, { ...keyOf(kind, call), ...guard });
        return json(removed.resource, { headers: writeHeaders(removed) });
      },
    },
  ];
}

function statusRoutes(kind: KindDefinition, registry: Registry): Route[] {
  const shared = { path: `/v1/${kind.plural}/{name}/status`, tag: kind.kind };
  const view = { 200: { description: 'Metadata and status.', schema: ref('StatusView'), headers: VERSION_HEADERS } };
  return [
    {
      ...shared,
      method: 'GET',
      access: 'reader',
      operationId: `get${kind.kind}Status`,
      summary: 'Get the status',
      query: [namespaceParameter],
      responses: view,
      handle: async (call) => {
        const { metadata, status } = await registry.get(call.context, keyOf(kind, call));
        return json({ metadata, status }, { headers: versionHeaders(metadata) });
      },
    },
    {
      ...shared,
      method: 'PUT',
      access: 'admin',
      operationId: `replace${kind.kind}Status`,
      summary: 'Replace the status',
      description:
        'For repair. Needs the current version; without one, or with another, it is 409. A status without a phase gets that of a new object.',
      query: [namespaceParameter, dryRunParameter, uidParameter],
      headers: [ifMatchHeader],
      body: {
        description: 'Metadata with the version, and the status as a whole.',
        schema: ref('StatusView'),
        contentTypes: [JSON_TYPE, ...RESOURCE_TYPES.slice(1)],
      },
      responses: view,
      handle: async (call) => {
        const { metadata, status } = await registry.putStatus(call.context, await namedWriteRequest(kind, call));
        return json({ metadata, status }, { headers: writtenVersion(call, metadata) });
      },
    },
  ];
}

function versionRoutes(kind: KindDefinition, registry: Registry): Route[] {
  const path = `/v1/${kind.plural}/{name}/versions`;
  const shared = { method: 'GET', access: 'reader', tag: kind.kind } as const;
  return [
    {
      ...shared,
      path,
      operationId: `list${kind.kind}Versions`,
      summary: `List the versions of ${article(kind.kind)}`,
      description:
        'Its specs, the current one first, each with the generation of the object that had it. ' +
        'To restore one, write its spec with PUT and the current resourceVersion.',
      query: [namespaceParameter, versionLimitParameter, afterParameter],
      responses: { 200: { description: 'The versions that are kept.', schema: pageOf(ref('VersionSummary')) } },
      async handle(call) {
        const limit = call.query.integer('limit', LIST_LIMIT) ?? VERSIONS_DEFAULT;
        return json(await registry.versions(call.context, keyOf(kind, call), { limit, ...defined({ after: call.query.text('after') }) }));
      },
    },
    {
      ...shared,
      path: `${path}/{generation}`,
      operationId: `get${kind.kind}Version`,
      summary: `Get a version of ${article(kind.kind)}`,
      query: [namespaceParameter],
      responses: { 200: { description: 'The version with its spec.', schema: ref('Version') } },
      handle: async (call) => json(await registry.version(call.context, keyOf(kind, call), Number(call.params['generation']))),
    },
  ];
}

export function resourceRoutes(kind: KindDefinition, registry: Registry): Route[] {
  return [
    ...collectionRoutes(kind, registry),
    ...objectRoutes(kind, registry),
    ...statusRoutes(kind, registry),
    ...(kind.keepsVersions ? versionRoutes(kind, registry) : []),
  ];
}
