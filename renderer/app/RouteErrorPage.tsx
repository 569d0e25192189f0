// A page that threw, or whose code failed to load: the rest of the console stays in use.
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { useConnection } from '../live/connection.ts';
import { ErrorCard } from '../ui/feedback/ErrorCard.tsx';
import { LinkButton } from '../ui/button/LinkButton.tsx';
import { tryPartsAgain } from '../ui/lazy-part.ts';
import { CodeNotLoaded } from '../ui/load-code.ts';

/** Covers lazily loaded parts of a page. The browser and React cache such a failure until the page is reloaded. */
function isMissingPart(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|importing a module script|chunk/i.test(error.message);
}

export function RouteErrorPage({ error, reset }: ErrorComponentProps) {
  const whole = error instanceof CodeNotLoaded;
  if (whole || isMissingPart(error)) return <NotLoaded whole={whole} />;
  return <Card title="This page failed" error={error} onRetry={reset} />;
}

const AWAY = new Error('The server does not answer. The page is loaded as soon as it does.');
const GONE = new Error('The server may have been updated meanwhile. Reload to get its version of the console.');
const reload = () => window.location.reload();

/** While the server is away nothing is reloaded: the browser would show a page of its own in the place of the console. */
function NotLoaded({ whole }: { readonly whole: boolean }) {
  const router = useRouter();
  const { phase } = useConnection();
  const away = phase === 'reconnecting' || phase === 'offline';
  const again = useCallback(() => {
    if (!whole) return reload();
    tryPartsAgain();
    void router.invalidate();
  }, [whole, router]);
  const wasAway = useRef(away);
  useEffect(() => {
    if (wasAway.current && !away) again();
    wasAway.current = away;
  }, [away, again]);
  return <Card title="This page could not be loaded" error={away ? AWAY : GONE} onRetry={away ? undefined : reload} retryLabel="Reload" />;
}

interface CardProps {
  readonly title: string;
  readonly error: unknown;
  readonly onRetry: (() => void) | undefined;
  readonly retryLabel?: string;
}

function Card({ title, ...rest }: CardProps) {
  const home = (
    <LinkButton size="sm" href="/">
      Home
    </LinkButton>
  );
  return (
    <div className="mx-auto w-full max-w-2xl p-6">
      <ErrorCard title={title} {...rest} action={home} />
    </div>
  );
}
