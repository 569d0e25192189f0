// Buttons at the end of a form in a dialog: the one that leaves it, the one that submits it.
import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '../button/Button.tsx';

export interface FormButtonsProps extends Pick<ButtonProps, 'variant' | 'icon' | 'busy' | 'disabled' | 'disabledReason'> {
  /** The verb of the form. */
  readonly submit: string;
  readonly cancel?: string;
  readonly onCancel: () => void;
  /** Further buttons, at the left. */
  readonly children?: ReactNode;
}

export function FormButtons({ submit, cancel = 'Cancel', onCancel, children, ...submitting }: FormButtonsProps) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      {children}
      <Button onClick={onCancel} disabled={submitting.busy}>
        {cancel}
      </Button>
      <Button type="submit" variant="primary" {...submitting}>
        {submit}
      </Button>
    </div>
  );
}
