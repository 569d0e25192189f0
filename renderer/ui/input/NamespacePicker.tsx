// Choice of a namespace beside the button that writes into it. A new name may be typed.
import { Combobox } from './Combobox.tsx';

export interface NamespacePickerProps {
  /** Shown before the field. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (namespace: string) => void;
  readonly namespaces: readonly string[];
}

export function NamespacePicker({ label, value, onChange, namespaces }: NamespacePickerProps) {
  return (
    <span className="flex items-center gap-2 text-sm text-muted">
      {label}
      <Combobox
        aria-label="Namespace"
        allowCustom
        value={value}
        onChange={onChange}
        options={namespaces.map((each) => ({ value: each }))}
        className="w-48"
      />
    </span>
  );
}
