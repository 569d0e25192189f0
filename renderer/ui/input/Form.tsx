// A form of the console: Ctrl-Enter submits it from every field. A disabled button keeps it from being sent.
import type { ComponentProps } from 'react';
import { takesSubmitKey } from './submit-key.ts';

const submitButton = (form: HTMLFormElement) => form.querySelector<HTMLButtonElement>('[data-submit]');

export function Form({ onKeyDown, onSubmit, ...props }: ComponentProps<'form'>) {
  return (
    // eslint-disable-next-line no-restricted-syntax -- The one form.
    <form
      {...props}
      onSubmit={(event) => {
        if (submitButton(event.currentTarget)?.getAttribute('aria-disabled') === 'true') event.preventDefault();
        else onSubmit?.(event);
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
