// A form of the console: Ctrl-Enter submits it from every field. A disabled button keeps it from being sent, and the page stays. The
// first wrong field of a refused form gets the focus.
import type { ComponentProps } from 'react';
import { takesSubmitKey } from './submit-key.ts';

/** Once the errors of a refused form are drawn. */
const focusInvalid = (form: HTMLFormElement) => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();

const submitButton = (form: HTMLFormElement) => form.querySelector<HTMLButtonElement>('[data-submit]');

export interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly onSubmit: () => void;
}

export function Form({ onKeyDown, onSubmit, ...props }: FormProps) {
  return (
    // eslint-disable-next-line no-restricted-syntax -- The one form.
    <form
      {...props}
      onSubmit={(event) => {
        // A form in a dialog that a part of this one has opened is another form.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (submitButton(event.currentTarget)?.getAttribute('aria-disabled') === 'true') return;
        onSubmit();
        setTimeout(focusInvalid, 0, event.currentTarget);
      }}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        if (!takesSubmitKey(event)) return;
        const button = submitButton(event.currentTarget);
        if (button) button.click();
        else event.currentTarget.requestSubmit();
      }}
    />
  );
}
