// How the console looks for this person. Shown at once.
import { CONTRAST, DENSITY, THEME, TIME_MODE } from '../../app/preferences.ts';
import { usePreference } from '../../app/use-preferences.ts';
import { Card } from '../../ui/Card.tsx';
import { SegmentedControl } from '../../ui/SegmentedControl.tsx';
import { SettingRow } from './SettingRow.tsx';

export function AppearanceTab() {
  const [theme, setTheme] = usePreference(THEME);
  const [contrast, setContrast] = usePreference(CONTRAST);
  const [density, setDensity] = usePreference(DENSITY);
  const [time, setTime] = usePreference(TIME_MODE);
  return (
    <div className="max-w-3xl p-6 max-sm:p-4">
      <Card flush>
        <SettingRow title="Theme" text="System follows this machine, also when it changes.">
          <SegmentedControl
            label="Theme"
            value={theme}
            onChange={setTheme}
            segments={[
              { value: 'system', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        </SettingRow>
        <SettingRow title="Contrast" text="High contrast has stronger borders and text.">
          <SegmentedControl
            label="Contrast"
            value={contrast}
            onChange={setContrast}
            segments={[
              { value: 'system', label: 'System' },
              { value: 'normal', label: 'Normal' },
              { value: 'high', label: 'High' },
            ]}
          />
        </SettingRow>
        <SettingRow title="Density" text="How much room rows and controls take.">
          <SegmentedControl
            label="Density"
            value={density}
            onChange={setDensity}
            segments={[
              { value: 'comfortable', label: 'Comfortable' },
              { value: 'compact', label: 'Compact' },
            ]}
          />
        </SettingRow>
        <SettingRow title="Times" text="How long ago, or when. The exact moment is always on hover.">
          <SegmentedControl
            label="Times"
            value={time}
            onChange={setTime}
            segments={[
              { value: 'relative', label: 'Relative' },
              { value: 'local', label: 'Local' },
              { value: 'utc', label: 'UTC' },
            ]}
          />
        </SettingRow>
      </Card>
    </div>
  );
}
