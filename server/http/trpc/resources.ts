// Objects of every kind, for the explorer, the editor and the designer. Translates to the registry; decides nothing.
import { APPLY_DOCUMENTS_MAX } from '@svc/shared/api/batch';
import { invalidFields } from '@svc/shared/errors';
import { parseFieldSelector } from '@svc/shared/field-selector';
import { defined, type JsonObject } from '@svc/shared/json';
import { parseLabelSelector } from '@svc/shared/labels';
import { z } from 'zod';
import { parseCursor } from '../../registry/cursor.ts';
import type { WriteResult } from '../../registry/registry.ts';
import { cursor, jsonObject, kind, name, namespace, objectKey, pageSize, selection, uid, version, word } from './inputs.ts';
import { procedure, router } from './trpc.ts';

interface Selection {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

function selected({ kind, namespace: home, labelSelector, fieldSelector }: Selection) {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : undefined;
  return { kind, ...defined({ namespace: home, labels, fields: fieldSelector ? parseFieldSelector(fieldSelector) : undefined }) };
}

const listInput = z.strictObject({
  ...selection,
  /** One of the kind's orders; the registry checks it. */
  order: word.optional(),
  /** Words of the objects' texts, for kinds that have them. */
  q: word.optional(),
  /** Part of the names. */
  nameContains: word.optional(),
  after: cursor,
  limit: pageSize,
});

const writeInput = z.strictObject({
  kind,
  namespace,
  /** `create` refuses a name that is taken; `replace` and `patch` need `name`. */
  mode: z.enum(['create', 'replace', 'patch']),
  name: name.optional(),
  body: z.unknown(),
  /** The version the write is based on. */
  resourceVersion: version.optional(),
  /** For `replace` and `patch`: the object that the write is meant for. */
  uid: uid.optional(),
  dryRun: z.boolean().optional(),
});

/** Object that a document is meant for, as a dry run found it; null: any object of that name, or none. */
const precondition = z.union([
  z.null(),
  z.strictObject({ mustNotExist: z.literal(true) }),
  z.strictObject({ uid, resourceVersion: version }),
]);

const applyInput = z
  .strictObject({
    documents: z.array(z.unknown()).max(APPLY_DOCUMENTS_MAX),
    namespace,
    dryRun: z.boolean().optional(),
    /** One for each document. */
    preconditions: z.array(precondition).max(APPLY_DOCUMENTS_MAX).optional(),
    /** Objects that are deleted in the same transaction: how an apply is undone. */
    removals: z
      .array(objectKey.extend({ uid, resourceVersion: version }))
      .max(APPLY_DOCUMENTS_MAX)
      .optional(),
  })
  .refine(({ documents, removals = [] }) => documents.length + removals.length > 0, {
    path: ['documents'],
    message: 'must hold at least one entry, unless removals does',
  })
  .refine(({ documents, preconditions }) => preconditions === undefined || preconditions.length === documents.length, {
    path: ['preconditions'],
    message: 'must hold one for each document',
  });

const countInput = z.strictObject({
  selections: z.array(z.strictObject(selection)).min(1).max(64),
  max: z.int().min(1).max(10_000).optional(),
});

function written({ action, resource, warnings, crdManaged }: WriteResult) {
  return { action, resource, warnings, crdManaged };
}

const reads = {
  list: procedure.input(listInput).query(({ ctx, input }) => {
    const { order, q: search, nameContains, after, limit } = input;
    return ctx.calls.page((bytesMax) => {
      const place = after === undefined ? undefined : parseCursor(after, input.namespace);
      const given = { ...selected(input), ...defined({ order, search, nameContains, after: place }) };
      return ctx.services.registry.list(ctx.caller, { ...given, limit, bytesMax });
    });
  }),
  /** `brief`: without the heavy parts of its status, as lists have it. */
  get: procedure
    .input(objectKey.extend({ brief: z.boolean().optional() }))
    .query(({ ctx, input: { brief, ...key } }) => ctx.services.registry.get(ctx.caller, key, defined({ brief }))),
  /** How many match each selection, counted up to `max` (default 10,000). */
  counts: procedure
    .input(countInput)
    .query(({ ctx, input: { selections, max } }) =>
      Promise.all(selections.map((each) => ctx.services.registry.count(ctx.caller, { ...selected(each), ...defined({ max }) }))),
    ),
  search: procedure
    .input(z.strictObject({ text: word, namespace: namespace.optional(), limit: z.int().min(1).max(50) }))
    .query(({ ctx, input: { text, namespace: home, limit } }) =>
      ctx.services.registry.search(ctx.caller, { text, limit, ...defined({ namespace: home }) }),
    ),
  /** References of the object. */
  relations: procedure.input(objectKey).query(({ ctx, input }) => ctx.services.registry.relations(ctx.caller, input)),
  /** Specs that the object has or had, newest first. */
  versions: procedure
    .input(objectKey.extend({ after: cursor, limit: pageSize }))
    .query(({ ctx, input: { after, limit, ...key } }) => ctx.services.registry.versions(ctx.caller, key, { limit, ...defined({ after }) })),
  version: procedure
    .input(objectKey.extend({ generation: z.int().min(1) }))
    .query(({ ctx, input: { generation, ...key } }) => ctx.services.registry.version(ctx.caller, key, generation)),
  /** Objects that refer to the object. */
  referrers: procedure
    .input(objectKey.extend({ after: cursor, limit: pageSize }))
    .query(({ ctx, input: { after, limit, ...key } }) =>
      ctx.services.registry.referrers(ctx.caller, key, { limit, ...defined({ after }) }),
    ),
};

const writes = {
  /** Unknown fields are refused, as svcctl has it. */
  write: procedure.input(writeInput).mutation(async ({ ctx, input }) => {
    const { mode, name, resourceVersion, uid: meant, dryRun, ...rest } = input;
    const { registry } = ctx.services;
    const request = { ...rest, fieldValidation: 'Strict' as const, ...defined({ dryRun, ifMatch: resourceVersion }) };
    if (mode === 'create') return written(await registry.post(ctx.caller, { ...request, ifNoneMatch: '*' }));
    if (name === undefined) throw invalidFields('The write', [{ path: 'name', message: `is required to ${mode} an object` }]);
    const named = { ...request, name, ...defined({ uid: meant }) };
    return written(mode === 'replace' ? await registry.put(ctx.caller, named) : await registry.patch(ctx.caller, named));
  }),
  /** All documents or none, in one transaction. */
  applyAll: procedure.input(applyInput).mutation(({ ctx, input: { documents, namespace: home, dryRun, preconditions, removals } }) =>
    ctx.services.registry.apply(ctx.caller, documents, {
      namespace: home,
      fieldValidation: 'Strict',
      ...(dryRun && { dryRun, findMissing: true }),
      ...defined({ preconditions, removals }),
    }),
  ),
  remove: procedure
    .input(objectKey.extend({ resourceVersion: version.optional(), uid: uid.optional(), dryRun: z.boolean().optional() }))
    .mutation(async ({ ctx, input: { resourceVersion, uid: meant, dryRun, ...key } }) => {
      const guard = defined({ resourceVersion, uid: meant, dryRun });
      const { resource } = await ctx.services.registry.remove(ctx.caller, { ...key, ...guard });
      return resource;
    }),
};

export const resourcesRouter = router({ ...reads, ...writes });
export const preferencesRouter = router({
  get: procedure.query(({ ctx }) => ctx.services.preferences.get(ctx.caller)),
  set: procedure.input(jsonObject).mutation(({ ctx, input }) => ctx.services.preferences.set(ctx.caller, input as JsonObject)),
});
