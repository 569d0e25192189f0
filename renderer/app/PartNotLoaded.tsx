// In place of a part of a page whose code failed to load: the rest of the page, and what was typed there, stays.
import { RotateCw } from 'lucide-react';
import { useConnection } from '../live/connection.ts';
import { Button } from '../ui/button/Button.tsx';
import { Banner } from '../ui/feedback/Banner.tsx';
import type { PartFailureProps } from '../ui/lazy-part.ts';
import { useLoadOnReconnect } from './LazyBoundary.tsx';

export function PartNotLoaded({ onRetry }: PartFailureProps) {
  const { phase } = useConnection();
  const away = phase === 'reconnecting' || phase === 'offline';
  useLoadOnReconnect(onRetry);
  return (
    <Banner
      tone="warn"
      className="rounded-md"
      action={
        <Button size="sm" icon={<RotateCw />} onClick={onRetry}>
          Try again
        </Button>
      }
    >
      This part could not be loaded.{' '}
      {away
        ? 'The server does not answer. The part is loaded as soon as it does.'
        : 'If the server was updated meanwhile, save your work and reload the page.'}
    </Banner>
  );
}
