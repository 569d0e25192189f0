// Theme, contrast and density on the page: from the person's settings, following the system where they choose so, and stored for the next
// first paint.
import { useEffect } from 'react';
import { setTimeMode } from '../ui/time-mode.ts';
import { CONTRAST, DENSITY, THEME, TIME_MODE } from './preferences.ts';
import { usePreference, usePreferencesLoaded } from './use-preferences.ts';

/** public/theme.js reads the same key before the first paint. */
const CACHE_KEY = 'svc.appearance';

interface Appearance {
  readonly theme: 'system' | 'light' | 'dark';
  readonly contrast: 'system' | 'normal' | 'high';
  readonly density: 'comfortable' | 'compact';
}

/** Attributes of `<html>` for settings and a system. Pure. */
function shownAppearance({ theme, contrast, density }: Appearance, system: { readonly dark: boolean; readonly moreContrast: boolean }) {
  return {
    theme: theme === 'system' ? (system.dark ? 'dark' : 'light') : theme,
    contrast: contrast === 'system' ? (system.moreContrast ? 'high' : 'normal') : contrast,
    density,
  };
}

function cache(appearance: Appearance): void {
  try {
    localStorage.setItem(CACHE_KEY, JSON.stringify(appearance));
  } catch {
    // A browser without storage: the first paint follows the system.
  }
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
    // Until the server has answered, the values stored for the first paint apply.
    if (!loaded) return;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const moreContrast = matchMedia('(prefers-contrast: more)');
    const apply = () => {
      const shown = shownAppearance({ theme, contrast, density }, { dark: dark.matches, moreContrast: moreContrast.matches });
      Object.assign(document.documentElement.dataset, shown);
    };
    apply();
    cache({ theme, contrast, density });
    dark.addEventListener('change', apply);
    moreContrast.addEventListener('change', apply);
    return () => {
      dark.removeEventListener('change', apply);
      moreContrast.removeEventListener('change', apply);
    };
  }, [loaded, theme, contrast, density]);
}
