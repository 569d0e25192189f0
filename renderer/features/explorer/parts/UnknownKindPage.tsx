// Page of an address that names no kind.
import { NotFoundPage } from '../../../ui/feedback/NotFoundPage.tsx';

export function UnknownKindPage({ plural }: { readonly plural: string }) {
  return (
    <NotFoundPage
      title={`There is no kind "${plural}"`}
      explanation="Check the spelling in the address, or choose a kind in the navigation. A newer version of the server may have more kinds."
    />
  );
}
