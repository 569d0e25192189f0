// Signature that a card carries. Whether a remote one is trusted is decided by the server when it reads the card.
import { ShieldCheck, ShieldOff } from 'lucide-react';
import { Badge } from '../../../ui/status/Badge.tsx';
import { signaturesOf } from '../model/registry.ts';

export function SignatureBadge({ card }: { readonly card: Readonly<Record<string, unknown>> }) {
  const signatures = signaturesOf(card);
  const keys = signatures.map(({ algorithm, keyId }) => (keyId === undefined ? algorithm : `${algorithm}, key ${keyId}`));
  return signatures.length === 0 ? (
    <Badge icon={<ShieldOff aria-hidden />}>Not signed</Badge>
  ) : (
    <Badge tone="info" icon={<ShieldCheck aria-hidden />} title={keys.join('; ')}>
      Signed {signatures[0]?.algorithm}
    </Badge>
  );
}
