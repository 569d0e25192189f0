// A small panel beside its opener. It loads after the first screen.
import { Suspense, useState, type ReactNode } from 'react';
import { LazyTrigger } from './LazyTrigger.tsx';
import { lazyPart } from '../lazy-part.ts';

export interface PopoverProps {
  /** One element that takes a ref: the button. */
  readonly trigger: ReactNode;
  /** The panel's name. */
  readonly label: string;
  readonly align?: 'start' | 'center' | 'end';
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

const PopoverPanel = lazyPart(async () => (await import('./PopoverPanel.tsx')).PopoverPanel);

export function Popover(props: PopoverProps) {
  const [wanted, setWanted] = useState(false);
  const load = () => {
    setWanted(true);
    props.onOpenChange?.(true);
  };
  return (
    <Suspense
      fallback={
        <LazyTrigger popup="dialog" onWanted={load}>
          {props.trigger}
        </LazyTrigger>
      }
    >
      <PopoverPanel {...props} startsOpen={wanted} />
    </Suspense>
  );
}
