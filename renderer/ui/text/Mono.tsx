// Names, ids and other text that people compare letter by letter.
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';

export function Mono({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return <code className={cn('font-mono text-[0.92em] [overflow-wrap:anywhere]', className)}>{children}</code>;
}
