// Hidden field that opens the browser's choice of files. A button of the page presses it through the ref.
import type { Ref } from 'react';

export interface HiddenFileInputProps {
  readonly ref: Ref<HTMLInputElement>;
  readonly label: string;
  /** Endings and media types, as in HTML. */
  readonly accept: string;
  readonly multiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

export function HiddenFileInput({ ref, label, accept, multiple = false, onFiles }: HiddenFileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      hidden
      multiple={multiple}
      accept={accept}
      aria-label={label}
      onChange={(event) => {
        onFiles([...(event.target.files ?? [])]);
        // The same file can be chosen again.
        event.target.value = '';
      }}
    />
  );
}
