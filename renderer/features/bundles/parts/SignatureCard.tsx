// Signer of a bundle: this server itself, or a key that the person compares with the one that the sender names.
import type { BundleReview } from '@svc/shared/api/bundles';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { DescriptionList } from '../../../ui/layout/DescriptionList.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Mono } from '../../../ui/text/Mono.tsx';
import { Time } from '../../../ui/status/Time.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export interface SignatureCardProps {
  readonly review: BundleReview;
  /** Key as the sender names it. */
  readonly keyId: string;
  readonly onKeyId: (keyId: string) => void;
}

export function SignatureCard({ review, keyId, onKeyId }: SignatureCardProps) {
  const { signer, source } = review;
  const own = signer.standing === 'own';
  const entered = keyId.trim();
  return (
    <Card title="Signature" description="No document was changed since it was signed.">
      <DescriptionList
        items={[
          {
            term: 'Signed with',
            detail: (
              <span className="flex flex-wrap items-baseline gap-2">
                <Mono>{signer.keyId}</Mono>
                <Badge tone={own ? 'ok' : 'warn'}>{own ? 'key of this server' : 'unknown key'}</Badge>
              </span>
            ),
          },
          { term: 'Written', detail: <Time at={review.createdAt} sentence /> },
          { term: 'By', detail: <UntrustedText text={review.createdBy} /> },
          { term: 'From', detail: <UntrustedText text={`namespace ${source.namespace}, server version ${source.version}`} /> },
        ]}
      />
      {!own && (
        <div className="mt-4 flex flex-col gap-3">
          <Banner tone="warn" className="rounded-md">
            This server does not know the key. Ask the sender for it over a separate channel: “svcctl decisions key -o json” prints it
            there.
          </Banner>
          <Field
            label="Key that the sender names"
            required
            error={entered !== '' && entered !== signer.keyId ? 'This is another key than the one that signed the bundle.' : undefined}
          >
            <Input mono value={keyId} placeholder="sha256:…" onChange={(event) => onKeyId(event.target.value)} />
          </Field>
        </div>
      )}
    </Card>
  );
}
