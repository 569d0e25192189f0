// The name of a part: for fields of our kinds in words, with the name as written beside it; else as the schema's author wrote it.
import { UntrustedText } from '../ui/text/UntrustedText.tsx';
import type { PartProps } from './form-context.ts';
import type { Drawing } from './json-schema.ts';

export function PartName({ part: { name }, drawing: { title, words } }: { readonly part: PartProps; readonly drawing: Drawing }) {
  if (words !== undefined) {
    const same = words.toLowerCase() === name.toLowerCase();
    return same ? (
      words
    ) : (
      <>
        {words} <span className="ml-1 font-mono text-xs font-normal text-muted">{name}</span>
      </>
    );
  }
  return (
    <>
      <UntrustedText text={name} />
      {title !== undefined && title !== name && (
        <span className="ml-2 font-normal text-muted">
          <UntrustedText text={title} />
        </span>
      )}
    </>
  );
}
