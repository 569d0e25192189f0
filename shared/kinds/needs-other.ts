// Status fields of an approval whose decision takes another person. Both kinds of approvals have them.
import { z } from 'zod';
import { flag, listOf, requiredText } from './fields.ts';

export const needsOtherStatus = {
  needs_other: flag(
    'Whether the creators of the Task and the last writers of the rules that require the approval are barred from deciding.',
  ),
  cannot_decide: listOf(
    'Identities whose decision is refused for that; only in a single read of a pending approval.',
    z.strictObject({ name: requiredText('Name of the identity.'), because: requiredText('What it did.') }),
  ),
};
