// The address `/`: redirects to the dashboard of the last used namespace.
import { useEffect } from 'react';
import { useNavigation } from '../ui/navigation.ts';
import { pageAddress } from '../navigation/addresses.ts';
import { lastNamespace } from '../navigation/last-namespace.ts';

export function HomeRedirect() {
  const { go } = useNavigation();
  useEffect(() => go(pageAddress(lastNamespace(), 'dashboard'), { replace: true }), [go]);
  return null;
}
