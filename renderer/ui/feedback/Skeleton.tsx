// Placeholder for loading content.
import { cn } from '../cn.ts';

export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={cn('block h-3 animate-shimmer rounded-sm bg-neutral-soft', className)} />;
}

interface SkeletonLinesProps {
  /** Width of each line, all different. */
  readonly widths: readonly string[];
  readonly className: string;
}

export function SkeletonLines({ widths, className }: SkeletonLinesProps) {
  return (
    <div className={cn('flex flex-col gap-4', className)} aria-busy>
      {widths.map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  );
}

interface LoadingSkeletonProps {
  /** "Loading the run", for screen readers. */
  readonly label: string;
  /** Size of each part, from the top. */
  readonly parts: readonly string[];
  readonly className: string;
}

/** Placeholder of a page or a pane, which screen readers announce. */
export function LoadingSkeleton({ label, parts, className }: LoadingSkeletonProps) {
  return (
    <div role="status" className={cn('flex flex-col', className)}>
      <span className="sr-only">{label}</span>
      {parts.map((part, index) => (
        <Skeleton key={index} className={part} />
      ))}
    </div>
  );
}
