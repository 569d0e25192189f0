// Renders toasts. Mounted once, in the shell, and loaded after the first screen.
import { Toaster as Sonner } from 'sonner';

export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      closeButton
      offset={{ bottom: 'calc(var(--bottom-bar, 0px) + 1.5rem)' }}
      mobileOffset={{ bottom: 'calc(var(--bottom-bar, 0px) + 1rem)' }}
      containerAriaLabel="Notifications"
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-(--width) items-start font-sans! gap-2.5 rounded-lg bg-raised p-3 pr-8 text-base text-text shadow-overlay [&_[data-icon]]:mt-0.5',
          title: 'font-medium',
          description: 'mt-0.5 text-sm text-muted break-words',
          content: 'min-w-0 flex-1',
          actionButton: 'shrink-0 self-center rounded-md border border-border px-2 py-0.5 text-sm font-medium hover:bg-hover',
          closeButton:
            'absolute top-2 right-2 flex size-6 items-center justify-center rounded-sm text-faint hover:bg-hover [&_svg]:size-3.5',
          success: '[&_[data-icon]]:text-ok',
          error: '[&_[data-icon]]:text-danger',
        },
      }}
    />
  );
}
