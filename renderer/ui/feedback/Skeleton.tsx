// Placeholder for loading content.
import { cn } from '../cn.ts';

export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={cn('block h-3 animate-shimmer rounded-sm bg-neutral-soft', className)} />;
}
