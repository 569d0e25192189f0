// Frame of screens before the console: sign-in, waiting, server unreachable.
import type { ReactNode } from 'react';
import { Wordmark } from '../Wordmark.tsx';

export interface FullScreenProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  readonly footer?: ReactNode;
}

export function FullScreen({ title, description, children, footer }: FullScreenProps) {
  return (
    <div className="flex min-h-dvh flex-col items-center justify-center bg-bg px-4 py-10">
      <main className="w-full max-w-sm">
        <Wordmark large className="mb-6" />
        <h1 className="text-xl font-semibold tracking-tight text-balance">{title}</h1>
        {description != null && <p className="mt-1 mb-5 text-base text-pretty text-muted">{description}</p>}
        {children}
      </main>
      {footer != null && <footer className="mt-10 w-full max-w-sm text-sm text-faint">{footer}</footer>}
    </div>
  );
}
