// Shows something plainer where rendering fails: what somebody else wrote must not take the page around it along.
import { Component, type ReactNode } from 'react';

export interface FallbackBoundaryProps {
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

/** Give it a key of what it renders: a failure lasts as long as the key. */
export class FallbackBoundary extends Component<FallbackBoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
