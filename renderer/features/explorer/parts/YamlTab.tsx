// An object as its YAML, to read and to change.
import { Suspense } from 'react';
import { textParam, useSearchState } from '../../../navigation/search-state.ts';
import { SkeletonLines } from '../../../ui/feedback/Skeleton.tsx';
import type { ObjectTabProps } from './OverviewTab.tsx';
import { useObject } from '../model/use-object.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

const YamlPane = lazyPart(async () => (await import('../object/YamlPane.tsx')).YamlPane);

/** The place to show, `spec.tools[2]`. */
const PARAMS = { path: textParam };

export function YamlTab({ object }: ObjectTabProps) {
  const found = useObject(object);
  const [{ path }] = useSearchState(PARAMS);
  const waiting = <SkeletonLines widths={['w-1/4', 'w-1/5', 'w-2/5', 'w-1/3', 'w-1/2']} className="gap-3 p-6" />;
  if (found.state !== 'there' && found.state !== 'deleted') return found.state === 'loading' ? waiting : null;
  return (
    <Suspense fallback={waiting}>
      <YamlPane resource={found.resource} gone={found.state === 'deleted'} path={path === '' ? undefined : path} />
    </Suspense>
  );
}
