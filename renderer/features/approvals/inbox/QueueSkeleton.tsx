// Placeholder of a queue that is loading.
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';

export function QueueSkeleton() {
  return (
    <div role="status" className="flex flex-col gap-4 p-4">
      <span className="sr-only">Loading approvals</span>
      {[0, 1, 2, 3].map((each) => (
        <div key={each} className="flex flex-col gap-2">
          <Skeleton className="h-4 w-1/2" />
          <Skeleton className="h-3 w-3/4" />
        </div>
      ))}
    </div>
  );
}
