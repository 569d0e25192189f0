// Styles shared by Input, Textarea, Select and Combobox.

export const INPUT_STYLE =
  'w-full min-w-0 rounded-md border border-border-strong/60 in-data-[contrast=high]:border-border-strong bg-surface text-base text-text transition-colors hover:border-border-strong focus-visible:border-accent focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-focus aria-invalid:border-danger disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted';
