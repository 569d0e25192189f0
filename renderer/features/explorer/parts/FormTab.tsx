// An object as a form, generated from the kind's definition.
import { Suspense } from 'react';
import { SkeletonLines } from '../../../ui/feedback/Skeleton.tsx';
import type { ObjectTabProps } from './OverviewTab.tsx';
import { useObject } from '../model/use-object.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';

const FormPane = lazyPart(async () => (await import('../object/FormPane.tsx')).FormPane);

export function FormTab({ object }: ObjectTabProps) {
  const found = useObject(object);
  if (found.state !== 'there' && found.state !== 'deleted') return null;
  return (
    <Suspense fallback={<SkeletonLines widths={['w-1/3', 'w-2/3', 'w-1/2']} className="p-6" />}>
      <FormPane resource={found.resource} />
    </Suspense>
  );
}
