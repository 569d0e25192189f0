// Renders a plain fallback after a render error: untrusted content must not break the page around it.
import { Component, type ReactNode } from 'react';

export interface FallbackBoundaryProps {
  /** The fallback may depend on the error. */
  readonly fallback: ReactNode | ((error: unknown) => ReactNode);
  readonly children: ReactNode;
}

interface State {
  readonly failure: { readonly error: unknown } | undefined;
}

/** Give it a key of its content: a failure lasts as long as the key. */
export class FallbackBoundary extends Component<FallbackBoundaryProps, State> {
  override state: State = { failure: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  override render(): ReactNode {
    const { fallback, children } = this.props;
    const { failure } = this.state;
    if (!failure) return children;
    return typeof fallback === 'function' ? fallback(failure.error) : fallback;
  }
}
