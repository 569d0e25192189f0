// Menu for theme, density and the format of times.
import { SlidersHorizontal } from 'lucide-react';
import { IconButton } from '../../ui/button/IconButton.tsx';
import type { MenuItem } from '../../ui/overlay/menu-items.ts';
import { Menu } from '../../ui/overlay/Menu.tsx';
import { CONTRAST, DENSITY, THEME, TIME_MODE } from '../../preferences/preferences.ts';
import { usePreference } from '../../preferences/use-preferences.ts';

interface Choices<Value extends string> {
  readonly heading: string;
  readonly labels: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function choices<Value extends string>({ heading, labels, value, onChange }: Choices<Value>): MenuItem[] {
  const items = (Object.entries(labels) as [Value, string][]).map(([each, label]) => ({
    id: `${heading}-${each}`,
    label,
    checked: each === value,
    keepOpen: true,
    onSelect: () => onChange(each),
  }));
  return [{ heading }, ...items];
}

export function DisplayMenu() {
  const [theme, setTheme] = usePreference(THEME);
  const [contrast, setContrast] = usePreference(CONTRAST);
  const [density, setDensity] = usePreference(DENSITY);
  const [timeMode, setTimeMode] = usePreference(TIME_MODE);
  const items = [
    ...choices({
      heading: 'Times',
      labels: { relative: 'Relative', local: 'Local time', utc: 'UTC' },
      value: timeMode,
      onChange: setTimeMode,
    }),
    ...choices({ heading: 'Theme', labels: { system: 'System', light: 'Light', dark: 'Dark' }, value: theme, onChange: setTheme }),
    ...choices({ heading: 'Density', labels: { comfortable: 'Comfortable', compact: 'Compact' }, value: density, onChange: setDensity }),
    ...choices({
      heading: 'Contrast',
      labels: { system: 'System', normal: 'Normal', high: 'High' },
      value: contrast,
      onChange: setContrast,
    }),
  ];
  return <Menu align="end" trigger={<IconButton label="Display" icon={<SlidersHorizontal />} />} items={items} />;
}
