// A sentence about values of Secrets at rest: encrypted, or a warning. Empty until the server has answered.
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../live/api.ts';

export function ValueStorage() {
  const { data } = useQuery(api.server.capabilities.queryOptions());
  const encryption = data?.find(({ id }) => id === 'secret-encryption');
  if (!encryption) return null;
  if (encryption.enabled) return 'Values are stored encrypted.';
  return <span className="text-warn">Values are stored unencrypted: this server has no {encryption.source}.</span>;
}
