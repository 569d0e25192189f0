// Renders a plain fallback after a render error: untrusted content must not break the page around it.
import { Component, type ReactNode } from 'react';

export interface FallbackBoundaryProps {
  /** The fallback may depend on the error. */
  readonly fallback: ReactNode | ((error: unknown) => ReactNode);
  /** A failure lasts as long as this value stays the same. */
  readonly content?: unknown;
  readonly children: ReactNode;
}

interface State {
  readonly failure: { readonly error: unknown } | undefined;
}

export class FallbackBoundary extends Component<FallbackBoundaryProps, State> {
  override state: State = { failure: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  override componentDidUpdate(before: FallbackBoundaryProps): void {
    if (this.state.failure && before.content !== this.props.content) this.setState({ failure: undefined });
  }

  override render(): ReactNode {
    const { fallback, children } = this.props;
    const { failure } = this.state;
    if (!failure) return children;
    return typeof fallback === 'function' ? fallback(failure.error) : fallback;
  }
}
