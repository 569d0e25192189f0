// A form of the console: Ctrl-Enter submits it from every field.
import type { ComponentProps } from 'react';
import { takesSubmitKey } from './submit-key.ts';

export function Form({ onKeyDown, ...props }: ComponentProps<'form'>) {
  return (
    // eslint-disable-next-line no-restricted-syntax -- The one form.
    <form
      {...props}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        if (!takesSubmitKey(event)) return;
        const button = event.currentTarget.querySelector<HTMLButtonElement>('[data-submit]');
        // A disabled button keeps the form from being sent.
        if (button) button.click();
        else event.currentTarget.requestSubmit();
      }}
    />
  );
}
