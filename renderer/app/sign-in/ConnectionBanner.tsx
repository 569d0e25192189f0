// Reports that the server is away and how old the page is, and offers a retry. Silent for the first two seconds: most losses are shorter.
import { RotateCw, WifiOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { reconnectNow } from '../../live/api.ts';
import { useConnection } from '../../live/connection.ts';
import { announce } from '../../ui/feedback/announcer.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { useNow } from '../../ui/status/clock.ts';
import { formatDuration } from '../../ui/status/format.ts';
import { SILENT_MS, useSettled } from './use-stale.ts';

/** The stream is optional: a page without it reports that only when it is clear that it will not come. */
const CONNECTING_SILENT_MS = 8_000;

export function ConnectionBanner() {
  const { phase, since, freshAt } = useConnection();
  const settled = useSettled(`${phase} ${since}`, phase === 'connecting' ? CONNECTING_SILENT_MS : SILENT_MS);
  const away = phase !== 'live' && phase !== 'unauthorized' && settled;
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && phase === 'live') announce('Connected to the server again');
    wasAway.current = away;
  }, [away, phase]);
  if (!away) return null;
  const retry = (
    <Button size="sm" icon={<RotateCw />} onClick={reconnectNow}>
      Retry now
    </Button>
  );
  if (phase === 'connecting') {
    return (
      <Banner tone="info" action={retry}>
        Live updates are not connected yet. Pages refresh every 5 seconds.
      </Banner>
    );
  }
  return (
    <Banner tone="warn" icon={<WifiOff />} action={retry}>
      {phase === 'offline' ? 'This machine is offline.' : 'The server does not answer. Trying again…'}{' '}
      {freshAt !== undefined && (
        <>
          What you see is <Age from={freshAt} /> old;{' '}
        </>
      )}
      changes wait until it is back.
    </Banner>
  );
}

/** `freshAt` is of this machine's clock, and so is its age. */
function Age({ from }: { readonly from: number }) {
  useNow(1000);
  return (
    // Role timer: a screen reader would announce each second of it in the banner.
    <span role="timer" className="font-medium tabular-nums">
      {formatDuration(Math.max(1000, Math.floor((Date.now() - from) / 1000) * 1000))}
    </span>
  );
}
