// Appearance of the console for this person. Applied at once.
import { CONTRAST, DENSITY, THEME, TIME_MODE, type Preference } from '../../preferences/preferences.ts';
import { usePreference } from '../../preferences/use-preferences.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { SegmentedControl } from '../../ui/input/SegmentedControl.tsx';
import { SettingRow } from './SettingRow.tsx';

export function AppearanceTab() {
  return (
    <div className="max-w-3xl p-6 max-sm:p-4">
      <Card flush>
        <Choice
          title="Theme"
          text="System follows this machine, even when it changes."
          preference={THEME}
          words={{ system: 'System', light: 'Light', dark: 'Dark' }}
        />
        <Choice
          title="Contrast"
          text="High contrast has stronger borders and text."
          preference={CONTRAST}
          words={{ system: 'System', normal: 'Normal', high: 'High' }}
        />
        <Choice
          title="Density"
          text="How much room rows and controls take."
          preference={DENSITY}
          words={{ comfortable: 'Comfortable', compact: 'Compact' }}
        />
        <Choice
          title="Times"
          text="How long ago, or when. The exact moment is always on hover."
          preference={TIME_MODE}
          words={{ relative: 'Relative', local: 'Local', utc: 'UTC' }}
        />
      </Card>
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly title: string;
  readonly text: string;
  readonly preference: Preference<Value>;
  /** Every value, in the order in which they are offered. */
  readonly words: Readonly<Record<Value, string>>;
}

function Choice<Value extends string>({ title, text, preference, words }: ChoiceProps<Value>) {
  const [value, set] = usePreference(preference);
  const values = Object.keys(words) as Value[];
  return (
    <SettingRow title={title} text={text}>
      <SegmentedControl label={title} value={value} onChange={set} segments={values.map((each) => ({ value: each, label: words[each] }))} />
    </SettingRow>
  );
}
