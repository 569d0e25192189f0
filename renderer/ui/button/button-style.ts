// Styles shared by Button, LinkButton and IconButton.

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-colors disabled:cursor-not-allowed aria-disabled:cursor-not-allowed disabled:opacity-60 aria-disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0';

const VARIANTS = {
  primary: 'bg-accent text-on-accent shadow-raised forced-colors:border not-disabled:not-aria-disabled:hover:bg-accent-hover',
  secondary:
    'border border-border bg-surface text-text shadow-raised not-disabled:not-aria-disabled:hover:bg-hover in-data-[contrast=high]:border-border-strong',
  ghost: 'text-muted not-disabled:not-aria-disabled:hover:bg-hover not-disabled:not-aria-disabled:hover:text-text',
  danger: 'bg-danger-solid text-on-danger shadow-raised forced-colors:border not-disabled:not-aria-disabled:hover:bg-danger-solid-hover',
  'danger-quiet': 'border border-border bg-surface text-danger shadow-raised not-disabled:not-aria-disabled:hover:bg-danger-soft',
  link: 'text-accent-text underline-offset-2 hover:underline',
};

const SIZES = {
  sm: 'h-6 px-2 text-sm',
  md: 'h-control px-3 text-base',
  lg: 'h-9 px-4 text-md',
};

export interface ButtonStyle {
  readonly variant?: keyof typeof VARIANTS | undefined;
  readonly size?: keyof typeof SIZES | undefined;
}

export const buttonStyle = ({ variant = 'secondary', size = 'md' }: ButtonStyle): string =>
  `${BASE} ${VARIANTS[variant]} ${SIZES[size]}${variant === 'link' ? ' h-auto px-0' : ''}`;
