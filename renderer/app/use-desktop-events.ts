// Events of the desktop app that the console follows: links from outside, and the theme that its own windows should have.
import { useEffect } from 'react';
import { passBundle } from '../features/bundles/model/bundle-file.ts';
import { linkAddress } from '../native/link-address.ts';
import { native } from '../native/native.ts';
import { pageAddress } from '../navigation/addresses.ts';
import { lastNamespace } from '../navigation/last-namespace.ts';
import { THEME } from '../preferences/preferences.ts';
import { usePreference } from '../preferences/use-preferences.ts';
import { useNavigation } from '../ui/link/navigation.ts';

export function useDesktopEvents(): void {
  const { go } = useNavigation();
  const [theme] = usePreference(THEME);
  useEffect(
    () =>
      native.desktop?.onDeepLink((link) => {
        if (link.type !== 'bundle') return go(linkAddress(link));
        passBundle(link);
        // A number of its own, so that a second file opens the page again.
        go(pageAddress(lastNamespace(), 'bundle', { file: `${Date.now()}` }));
      }),
    [go],
  );
  useEffect(() => void native.desktop?.setTheme(theme), [theme]);
}
