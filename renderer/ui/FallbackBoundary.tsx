// Shows something plainer where rendering fails: what somebody else wrote must not take the page around it along.
import { Component, type ReactNode } from 'react';

export interface FallbackBoundaryProps {
  /** May say what it stands in for by what was thrown. */
  readonly fallback: ReactNode | ((error: unknown) => ReactNode);
  readonly children: ReactNode;
}

interface State {
  readonly failure: { readonly error: unknown } | undefined;
}

/** Give it a key of what it renders: a failure lasts as long as the key. */
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
