// Secrets that the objects of a bundle name: which exist here, and under which name the objects will refer to them.
import type { BundleReview, ReviewedSecret } from '@svc/shared/api/bundles';
import { useState } from 'react';
import { createAddress } from '../../../navigation/addresses.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Link } from '../../../ui/link/Link.tsx';
import { Mono } from '../../../ui/text/Mono.tsx';

export interface SecretNamesProps {
  readonly review: BundleReview;
  readonly namespace: string;
  readonly onRename: (name: string, here: string) => void;
}

export function SecretNames({ review, namespace, onRename }: SecretNamesProps) {
  const { secrets, missing } = review;
  if (secrets.length === 0 && missing.length === 0) return null;
  return (
    <Card title="Secrets and references" description="A bundle names Secrets and never holds their values." flush>
      <ul>
        {secrets.map((secret) => (
          <SecretRow key={`${secret.namespace ?? ''}/${secret.name}`} secret={secret} namespace={namespace} onRename={onRename} />
        ))}
        {missing.map((sentence) => (
          <li key={sentence} className="border-b border-border/60 px-4 py-2.5 text-warn last:border-0">
            {sentence}
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface SecretRowProps extends Pick<SecretNamesProps, 'namespace' | 'onRename'> {
  readonly secret: ReviewedSecret;
}

function SecretRow({ secret, namespace, onRename }: SecretRowProps) {
  const { name, keys, usedBy, mappedTo, exists } = secret;
  const [here, setHere] = useState(mappedTo);
  const keep = () => {
    const wanted = here.trim() === '' ? name : here.trim();
    setHere(wanted);
    if (wanted !== mappedTo) onRename(name, wanted);
  };
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-border/60 px-4 py-3 last:border-0">
      <div className="min-w-0 flex-1 basis-60">
        <p>
          <Mono>{name}</Mono>
          {keys.length > 0 && <span className="text-muted"> with {keys.join(', ')}</span>}
        </p>
        <p className="text-sm text-muted">used by {usedBy.join(', ')}</p>
      </div>
      <span className="flex items-center gap-2">
        {exists ? (
          <Badge tone="ok">exists here</Badge>
        ) : (
          <>
            <Badge tone="warn">not here</Badge>
            <Link href={createAddress(secret.namespace ?? namespace, 'Secret')} className="text-sm">
              Create it
            </Link>
          </>
        )}
        <Input
          mono
          aria-label={`Name here of the Secret ${name}`}
          className="w-44"
          value={here}
          onChange={(event) => setHere(event.target.value)}
          onBlur={keep}
          onKeyDown={(event) => event.key === 'Enter' && keep()}
        />
      </span>
    </li>
  );
}
