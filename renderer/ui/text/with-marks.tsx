// Makes hidden characters visible in the text among children.
import { Children, type ReactNode } from 'react';
import { MarkedText } from './UntrustedText.tsx';

export function withMarks(children: ReactNode): ReactNode {
  return Children.map(children, (child) => (typeof child === 'string' ? <MarkedText text={child} /> : child));
}
