// A page that broke: the rest of the console stays in use.
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorCard } from '../ui/ErrorCard.tsx';
import { LinkButton } from '../ui/LinkButton.tsx';

/** A chunk that is gone: the server has a newer version than this page. */
function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|importing a module script|chunk/i.test(error.message);
}

export function RouteErrorPage({ error, reset }: ErrorComponentProps) {
  const stale = isMissingChunk(error);
  return (
    <div className="mx-auto w-full max-w-2xl p-6">
      <ErrorCard
        title={stale ? 'This page could not be loaded' : 'This page broke'}
        error={stale ? new Error('The server may have been updated meanwhile. Reload to get its version of the console.') : error}
        onRetry={stale ? () => window.location.reload() : reset}
        action={
          <LinkButton size="sm" href="/">
            Dashboard
          </LinkButton>
        }
      />
    </div>
  );
}
