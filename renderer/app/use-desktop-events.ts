// Events of the desktop app that the console follows: links from outside, and the theme that its own windows should have.
import { useEffect } from 'react';
import { linkAddress } from '../native/link-address.ts';
import { native } from '../native/native.ts';
import { THEME } from '../preferences/preferences.ts';
import { usePreference } from '../preferences/use-preferences.ts';
import { useNavigation } from '../ui/navigation.ts';

export function useDesktopEvents(): void {
  const { go } = useNavigation();
  const [theme] = usePreference(THEME);
  useEffect(() => native.desktop?.onDeepLink((link) => go(linkAddress(link))), [go]);
  useEffect(() => void native.desktop?.setTheme(theme), [theme]);
}
