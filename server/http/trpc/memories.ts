// Entries of Memories for the console. Translates; decides nothing.
import { MEMORY_DOCUMENT_MAX_BYTES, MEMORY_PAGE_DEFAULT, MEMORY_PAGE_MAX, MEMORY_VALUE_MAX_BYTES } from '@svc/shared/memory-limits';
import { z } from 'zod';
import { memoryKey, memoryKeyPart, memoryQuery } from '../text-types.ts';
import { freeText, objectRef, text } from './inputs.ts';
import { procedure, router } from './trpc.ts';

const key = text(memoryKey);

export const memoriesRouter = router({
  entries: procedure
    .input(
      objectRef.extend({
        q: text(memoryQuery).meta({ freeText: true }).optional(),
        prefix: text(memoryKeyPart).optional(),
        after: text(memoryKeyPart).optional(),
        limit: z.int().min(1).max(MEMORY_PAGE_MAX).optional(),
      }),
    )
    .query(({ ctx, input: { namespace, name, limit = MEMORY_PAGE_DEFAULT, ...query } }) =>
      ctx.calls.waiting(() => ctx.services.memories.entries(ctx.caller, { namespace, name }, { ...query, limit })),
    ),
  writeEntry: procedure
    .input(objectRef.extend({ key, value: freeText(MEMORY_VALUE_MAX_BYTES) }))
    .mutation(({ ctx, input: { namespace, name, ...entry } }) => ctx.services.memories.writeEntry(ctx.caller, { namespace, name }, entry)),
  ingest: procedure
    .input(objectRef.extend({ source: key, content: freeText(MEMORY_DOCUMENT_MAX_BYTES) }))
    .mutation(({ ctx, input: { namespace, name, ...document } }) =>
      ctx.services.memories.ingest(ctx.caller, { namespace, name }, document),
    ),
  deleteEntry: procedure
    .input(objectRef.extend({ key }))
    .mutation(({ ctx, input: { namespace, name, key: entry } }) =>
      ctx.services.memories.deleteEntry(ctx.caller, { namespace, name }, entry),
    ),
});
