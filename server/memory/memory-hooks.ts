// Writes of a Memory: provider embedded needs the server's own files, and a deletion leaves a record of the entries to remove.
import { invalidFields } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { Clock } from '../clock.ts';
import type { KindHooks } from '../registry/registry.ts';
import { placeOf, recordEarlierPlace, recordErasures } from './erasures.ts';

export interface MemoryHookOptions {
  /** Whether this server keeps files of its own. */
  readonly embedded: boolean;
  readonly clock: Pick<Clock, 'now'>;
}

export function createMemoryHooks({ embedded, clock }: MemoryHookOptions): KindHooks {
  return {
    async onUpdated(tx, memory, { previous }) {
      const before = specOf('Memory', previous);
      if (placeOf(before) !== placeOf(specOf('Memory', memory))) await recordEarlierPlace(tx, { ...memory.metadata, spec: before });
    },
    async onDeleted(tx, { metadata, spec }) {
      const { namespace, name, uid } = metadata;
      await recordErasures(tx, { namespace, name, uid, spec: specOf('Memory', { metadata, spec }), deletedAt: clock.now() });
    },
    async admit(_tx, { metadata, spec }) {
      if (embedded || specOf('Memory', { metadata, spec }).provider !== 'embedded') return;
      const message =
        'embedded keeps entries in a file of one server, and servers on PostgreSQL share their work; use pgvector, which can be the same PostgreSQL';
      throw invalidFields(`Memory ${metadata.namespace}/${metadata.name}`, [{ path: 'spec.provider', message }]);
    },
  };
}
