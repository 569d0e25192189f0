// Rule of writes of a Memory that depends on the server: provider embedded needs the server's own files.
import { invalidFields } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import type { KindHooks } from '../registry/registry.ts';

export function createMemoryHooks({ embedded }: { readonly embedded: boolean }): KindHooks {
  return {
    async admit(_tx, { metadata, spec }) {
      if (embedded || specOf('Memory', { metadata, spec }).provider !== 'embedded') return;
      const message =
        'embedded keeps entries in a file of one server, and servers on PostgreSQL share their work; use pgvector, which can be the same PostgreSQL';
      throw invalidFields(`Memory ${metadata.namespace}/${metadata.name}`, [{ path: 'spec.provider', message }]);
    },
  };
}
