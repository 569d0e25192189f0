// A link to a related object: a plain click opens it in the inspector, any other click is the browser's and goes to its page.
import { objectAddress, type ObjectRef } from '../navigation/addresses.ts';
import { Link, type LinkProps } from '../ui/link/Link.tsx';
import { isPlainClick } from '../ui/link/navigation.ts';
import { useInspector } from './inspector-context.ts';

export interface PeekLinkProps extends Omit<LinkProps, 'href'> {
  readonly object: ObjectRef;
  /** Namespace setting of the shell, kept by the page of the object. */
  readonly scope?: string;
}

export function PeekLink({ object, scope, ...link }: PeekLinkProps) {
  const inspector = useInspector();
  return (
    <Link
      {...link}
      href={objectAddress(object, scope)}
      onClick={(event) => {
        if (!inspector || !isPlainClick(event)) return;
        event.preventDefault();
        inspector.open(object);
      }}
    />
  );
}
