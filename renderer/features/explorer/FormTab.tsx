// An object as a form, made from the kind's definition.
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../ui/Skeleton.tsx';
import type { ObjectTabProps } from './OverviewTab.tsx';
import { useObject } from './use-object.ts';

const FormPane = lazy(() => import('./object/FormPane.tsx').then((module) => ({ default: module.FormPane })));

export function FormTab({ object }: ObjectTabProps) {
  const found = useObject(object);
  if (found.state !== 'there' && found.state !== 'deleted') return null;
  const waiting = (
    <div className="flex flex-col gap-4 p-6" aria-busy>
      {['w-1/3', 'w-2/3', 'w-1/2'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  );
  return (
    <Suspense fallback={waiting}>
      <FormPane resource={found.resource} />
    </Suspense>
  );
}
