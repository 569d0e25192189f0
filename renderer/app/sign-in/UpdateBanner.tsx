// The server was updated: this page belongs to an older console than the one it serves now.
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { useHello } from '../../sign-in/use-hello.ts';

export function UpdateBanner() {
  // Read again after each reconnect of the stream, as is all data that the stream does not carry.
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
