// The shown object was deleted, and the page now shows another one of its name: nothing else distinguishes them.
import type { Resource } from '@svc/shared/resource';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Banner } from '../../../ui/Banner.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Time } from '../../../ui/Time.tsx';

export function RecreatedNotice({ resource: { metadata } }: { readonly resource: Resource }) {
  const [known, setKnown] = useState(metadata.uid);
  if (known === metadata.uid) return null;
  return (
    <Banner
      tone="warn"
      icon={<RefreshCw />}
      action={
        <Button size="sm" onClick={() => setKnown(metadata.uid)}>
          Understood
        </Button>
      }
    >
      {metadata.name} was deleted and made again <Time sentence at={metadata.createdAt} />. This is the new one.
    </Banner>
  );
}
