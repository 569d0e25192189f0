// Placeholder of a page whose code is loading.
import { Skeleton } from './Skeleton.tsx';

export function RoutePending() {
  return (
    <div role="status" className="flex flex-col gap-6 px-6 pt-6">
      <span className="sr-only">Loading the page</span>
      <Skeleton className="h-6 w-56" />
      <Skeleton className="h-32 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
