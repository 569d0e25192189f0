// The groups of the navigation, in order, with their words.
import type { KindArea } from '@svc/shared/kinds/define';

export const KIND_AREAS_IN_NAV: readonly { readonly id: KindArea; readonly label: string }[] = [
  { id: 'work', label: 'Work' },
  { id: 'design', label: 'Design' },
  { id: 'triggers', label: 'Triggers' },
  { id: 'govern', label: 'Govern' },
  { id: 'secure', label: 'Secure' },
  { id: 'platform', label: 'Platform' },
];
