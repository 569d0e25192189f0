// Address of the console that a link from outside the app leads to.
import type { DeepLink } from '@svc/shared/desktop-api';
import { approvalAddress, objectAddress } from '../navigation/addresses.ts';

export function linkAddress(link: DeepLink): string {
  const { kind, namespace, name } = link;
  return link.type === 'approval' ? approvalAddress(namespace, { kind, namespace, name }) : objectAddress({ kind, namespace, name });
}
