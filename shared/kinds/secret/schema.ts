// Shapes of Secret: values that are written and never read back.
import { z } from 'zod';
import { commonStatus, textMap } from '../fields.ts';

export const secretSpec = z.strictObject({
  data: textMap('Values as base64. Reads show every value as ***.', { format: 'secret' }),
  stringData: textMap('Values as plain text, write-only: they are merged into data and this field is cleared.', { format: 'secret' }),
});

export const secretStatus = z.strictObject(commonStatus);

export type WrittenSecretSpec = z.infer<typeof secretSpec>;
