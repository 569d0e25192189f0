// The server was updated: this page belongs to an older console than the one it serves now.
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { useHello } from '../../sign-in/use-hello.ts';

export function UpdateBanner() {
  // The stream requests this again at every return of the server, like all data that changes do not feed.
  const hello = useHello();
  const [own] = useState(hello?.build);
  if (hello === undefined || hello.build === own) return null;
  return (
    <Banner
      tone="info"
      action={
        <Button size="sm" variant="primary" icon={<RefreshCw />} onClick={() => window.location.reload()}>
          Reload to update
        </Button>
      }
    >
      The server now has version {hello.version} with another console.
    </Banner>
  );
}
