// Referrers of the object of a row, requested only while the row is visible.
import { useQuery } from '@tanstack/react-query';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { api } from '../../../live/api.ts';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import { countsByKind } from '../object-text.ts';

const ASKED = 50;

export function UsedByCell({ object }: { readonly object: ObjectRef }) {
  const { data, isError } = useQuery(api.resources.referrers.queryOptions({ ...object, limit: ASKED }));
  if (isError) return <span className="text-faint">not known</span>;
  if (!data) return <Skeleton className="w-24" />;
  if (data.items.length === 0) return <span className="text-muted">{data.incomplete ? 'not known yet' : 'Nothing'}</span>;
  const more = data.continue !== undefined;
  return (
    <span title={data.items.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join('\n')}>
      {more ? `More than ${ASKED} objects` : countsByKind(data.items)}
    </span>
  );
}
