// The public half of the sealing key, with which SealedSecrets are made.
import type { SealingKeys } from '../../sealing/sealing-key.ts';
import { json, type Route } from '../route.ts';
import { ref } from './schemas.ts';

export function sealingKeyRoute(sealing: Pick<SealingKeys, 'publicKey'>): Route {
  return {
    method: 'GET',
    path: '/v1/sealing-key/public',
    access: 'reader',
    tag: 'Sealing',
    operationId: 'getSealingKey',
    summary: 'The public key that SealedSecrets are made with',
    description:
      '503 on a server without an encryption key, which has no sealing key. The first request of a database takes seconds: it makes the key.',
    responses: { 200: { description: 'The key.', schema: ref('SealingKey') } },
    handle: async () => json(await sealing.publicKey()),
  };
}
