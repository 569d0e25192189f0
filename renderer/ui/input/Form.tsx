// A form of the console: Ctrl-Enter submits it from every field. A disabled button keeps it from being sent, and the page stays.
import type { ComponentProps } from 'react';
import { takesSubmitKey } from './submit-key.ts';

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
        event.preventDefault();
        if (submitButton(event.currentTarget)?.getAttribute('aria-disabled') !== 'true') onSubmit();
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
