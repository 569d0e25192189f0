// Reason why a text was not applied, where it has no place in the text.
import { ErrorCard } from '../ui/ErrorCard.tsx';
import type { Applying } from './use-apply.ts';

export function ApplyFailure({ applying }: { readonly applying: Applying }) {
  const { failure } = applying;
  if (!failure || (failure.code === 'invalid' && failure.details.length > 0)) return null;
  const again = failure.code === 'not_found' ? 'It was deleted. Copy your text to create it again.' : undefined;
  return (
    <div className="p-3">
      <ErrorCard
        error={again === undefined ? failure : { ...failure, message: `${failure.message}. ${again}` }}
        title="Not applied"
        onRetry={applying.review}
      />
    </div>
  );
}
