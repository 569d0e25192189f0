// The page's own sort of file, for buttons, menus and drop targets in it.
import { createContext, useContext } from 'react';

export interface FileViewActions {
  /** The sort of file, in sentences: "trace". */
  readonly noun: string;
  /** Opens the file chooser. */
  readonly choose: () => void;
  /** Whether the name is that of an export of this sort. */
  readonly claims: (name: string) => boolean;
  readonly take: (file: File) => void;
}

export const FileViewContext = createContext<FileViewActions | undefined>(undefined);

/** Undefined outside of a FileView. */
export function useFileView(): FileViewActions | undefined {
  return useContext(FileViewContext);
}
