// Field of a secret value: hidden at first, of several lines once it is shown.
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';

export interface ValueFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly error: string | undefined;
}

export function ValueField({ label, value, onChange, hint, error }: ValueFieldProps) {
  const [shown, setShown] = useState(false);
  const toggle = `${shown ? 'Hide' : 'Show'} ${label.toLowerCase()}`;
  return (
    <Field
      label={label}
      required
      error={error}
      {...(hint !== undefined && { hint })}
      aside={<IconButton size="sm" className="-my-2" label={toggle} icon={shown ? <EyeOff /> : <Eye />} onClick={() => setShown(!shown)} />}
    >
      {shown ? (
        <Textarea mono value={value} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <Input mono type="password" autoComplete="new-password" value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}
