// Shapes of SealedSecret: encrypted entries that the service turns into a Secret.
import { z } from 'zod';
import { commonStatus, group, mapOf, requiredText, textMap } from '../fields.ts';

export const SEALED_SECRET_PHASES = ['Pending', 'Ready', 'Error'] as const;

const sealedEntry = z.strictObject({
  keyId: requiredText('Id of the sealing key the entry was sealed with.'),
  wrappedKey: requiredText('Base64 of the AES data key, wrapped with RSA-OAEP.', { format: 'base64' }),
  ciphertext: requiredText('Base64 of the nonce followed by the AES-GCM ciphertext.', { format: 'base64' }),
});

export const sealedSecretSpec = z.strictObject({
  encryptedData: mapOf('The sealed entries, by their key in the Secret.', sealedEntry),
  template: group('Metadata of the generated Secret.', {
    labels: textMap('Labels copied onto the Secret.'),
    annotations: textMap('Annotations copied onto the Secret.'),
  }),
});

export const sealedSecretStatus = z.strictObject(commonStatus);

export type WrittenSealedSecretSpec = z.infer<typeof sealedSecretSpec>;
