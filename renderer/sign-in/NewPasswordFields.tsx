// Two fields for a new password, of setup and of the account page.
import { Field } from '../ui/input/Field.tsx';
import { Input } from '../ui/input/Input.tsx';
import { newPasswordProblem, PASSWORD_CHARS_MIN, type NewPassword } from './new-password.ts';

export interface NewPasswordFieldsProps {
  readonly value: NewPassword;
  readonly onChange: (value: NewPassword) => void;
  /** Problems are shown from the first attempt on. */
  readonly submitted: boolean;
}

const LABELS = { next: 'New password', again: 'New password again' } as const;

export function NewPasswordFields({ value, onChange, submitted }: NewPasswordFieldsProps) {
  const problem = submitted ? newPasswordProblem(value) : undefined;
  return (['next', 'again'] as const).map((field) => (
    <Field
      key={field}
      label={LABELS[field]}
      hint={field === 'next' ? `At least ${PASSWORD_CHARS_MIN} characters; a sentence is fine.` : undefined}
      error={problem?.field === field ? problem.message : undefined}
    >
      <Input
        type="password"
        autoComplete="new-password"
        value={value[field]}
        onChange={(event) => onChange({ ...value, [field]: event.target.value })}
      />
    </Field>
  ));
}
