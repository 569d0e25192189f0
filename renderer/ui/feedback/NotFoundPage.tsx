// Page for an unknown address.
import { Compass } from 'lucide-react';
import { EmptyState } from './EmptyState.tsx';
import { LinkButton } from '../button/LinkButton.tsx';

export interface NotFoundPageProps {
  /** The missing subject: "There is no kind “widgets”". */
  readonly title?: string;
  readonly explanation?: string;
}

export function NotFoundPage({ title = 'This page does not exist', explanation }: NotFoundPageProps) {
  return (
    <div className="flex flex-1 items-center justify-center">
      <EmptyState
        cause="none"
        level={1}
        icon={<Compass />}
        title={title}
        action={
          <LinkButton variant="primary" href="/">
            Go to Home
          </LinkButton>
        }
      >
        {explanation ?? 'The address may be wrong, or belong to a newer version of the console.'}
      </EmptyState>
    </div>
  );
}
