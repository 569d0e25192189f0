// Time zone out of those the browser knows, its own first; others can be typed.
import type { Json } from '@svc/shared/json';
import { Combobox, type ComboboxOption } from '../../ui/input/Combobox.tsx';

export interface TimeZoneFieldProps {
  readonly value: Json | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly disabled?: boolean;
}

let known: readonly ComboboxOption[] | undefined;

function zones(): readonly ComboboxOption[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  known ??= [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
    value,
    label: value.replaceAll('_', ' '),
    ...(value === own && { hint: 'this browser' }),
  }));
  return known;
}

export function TimeZoneField({ value, onChange, disabled = false }: TimeZoneFieldProps) {
  return (
    <Combobox
      allowCustom
      disabled={disabled}
      placeholder="UTC"
      value={typeof value === 'string' ? value : ''}
      options={zones()}
      onChange={(zone) => onChange(zone.trim() === '' ? undefined : zone.trim())}
    />
  );
}
