// The server was updated: this page is of an older console than the one it serves now.
import { RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useConnection } from '../../live/connection.ts';
import { queryClient } from '../../live/query-client.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { helloQuery, useSession } from './use-session.ts';

export function UpdateBanner() {
  const session = useSession();
  const { phase, since } = useConnection();
  const [own] = useState(session?.build);
  const connectedSince = useRef(since);
  useEffect(() => {
    // At every return of the server: it may be another version, and its clock another.
    if (phase === 'live' && connectedSince.current !== since) void queryClient.invalidateQueries({ queryKey: helloQuery.queryKey });
    connectedSince.current = since;
  }, [phase, since]);
  if (session === undefined || session.build === own) return null;
  return (
    <Banner
      tone="info"
      action={
        <Button size="sm" variant="primary" icon={<RefreshCw />} onClick={() => window.location.reload()}>
          Reload to update
        </Button>
      }
    >
      The server now has version {session.version} with another console.
    </Banner>
  );
}
