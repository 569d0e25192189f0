// The frame around every page.
import { Outlet } from '@tanstack/react-router';
import { LiveRegion } from '../ui/LiveRegion.tsx';
import { SkipLink } from '../ui/SkipLink.tsx';

export function Shell() {
  return (
    <>
      <SkipLink />
      <main id="main" tabIndex={-1} className="flex min-h-dvh flex-col focus-visible:outline-none">
        <Outlet />
      </main>
      <LiveRegion />
    </>
  );
}
