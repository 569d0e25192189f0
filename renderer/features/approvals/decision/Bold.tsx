// A name within a sentence, always as text.
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';

export function Bold({ text }: { readonly text: string }) {
  return (
    <strong className="font-semibold text-text">
      <UntrustedText text={text} />
    </strong>
  );
}
