// Copies the address of a place in this console, for people who may sign in to the same server.
import { Link2 } from 'lucide-react';
import { serverAddress } from '../link/base-path.ts';
import { CopyButton } from './CopyButton.tsx';

export interface CopyLinkButtonProps {
  /** Address inside the console, `/n/default/…`. */
  readonly href: string;
  /** Name of the place: "Copy the link to this turn". */
  readonly label: string;
}

export function CopyLinkButton({ href, label }: CopyLinkButtonProps) {
  return <CopyButton icon={<Link2 />} label={label} text={() => `${serverAddress()}${href}`} />;
}
