// Placeholder of a page whose code is loading.
import { LoadingSkeleton } from './Skeleton.tsx';

export function RoutePending() {
  return <LoadingSkeleton label="Loading the page" className="gap-6 px-6 pt-6" parts={['h-6 w-56', 'h-32 w-full', 'h-64 w-full']} />;
}
