// Theme, contrast and density of the page, from the person's settings. public/theme.js shows them.
import { useEffect } from 'react';
import { keep } from '../ui/browser-storage.ts';
import { setTimeMode } from '../ui/status/time-mode.ts';
import { CONTRAST, DENSITY, THEME, TIME_MODE } from './preferences.ts';
import { usePreference, usePreferencesLoaded } from './use-preferences.ts';

interface Appearance {
  readonly theme: 'system' | 'light' | 'dark';
  readonly contrast: 'system' | 'normal' | 'high';
  readonly density: 'comfortable' | 'compact';
}

/** Mounted once, in the shell. */
export function useAppearance(): void {
  const loaded = usePreferencesLoaded();
  const [theme] = usePreference(THEME);
  const [contrast] = usePreference(CONTRAST);
  const [density] = usePreference(DENSITY);
  const [timeMode] = usePreference(TIME_MODE);
  useEffect(() => setTimeMode(timeMode), [timeMode]);
  useEffect(() => {
    // Until the server has answered, the settings of the last visit apply.
    if (!loaded) return;
    const appearance = { theme, contrast, density };
    // For the first paint of the next visit: public/theme.js reads the same key.
    keep('svc.appearance', appearance);
    dispatchEvent(new CustomEvent<Appearance>('svc:appearance', { detail: appearance }));
  }, [loaded, theme, contrast, density]);
}
