// Texts to import: files and pasted text. Passed from the list they were dropped on to the page that reads them, never through the address.

export interface ImportSource {
  /** The file's name, or a description: "Pasted text". */
  readonly name: string;
  readonly text: string;
}

/** Size of all sources together: the limit of one request. */
export const IMPORT_MAX_BYTES = 4 * 1024 * 1024;

/** Files that can be read as documents. */
const READABLE = /\.(ya?ml|json)$/i;

export interface ReadFiles {
  readonly sources: readonly ImportSource[];
  /** Reasons for excluded files, one sentence each. */
  readonly refused: readonly string[];
}

/** The texts of files. Files that are too large or of another type are named in `refused`. */
export async function readFiles(files: readonly File[]): Promise<ReadFiles> {
  const refused: string[] = [];
  const fitting = files.filter((file) => {
    if (/\.svcbundle$/i.test(file.name)) refused.push(`${file.name} is a bundle: choose “Import a bundle” for it.`);
    else if (!READABLE.test(file.name)) refused.push(`${file.name} is no .yaml, .yml or .json file.`);
    else if (file.size > IMPORT_MAX_BYTES) refused.push(`${file.name} is larger than 4 MiB.`);
    else return true;
    return false;
  });
  const sources = await Promise.all(fitting.map(async (file) => ({ name: file.name, text: await file.text() })));
  return { sources, refused };
}

export function bytesOf(sources: readonly ImportSource[]): number {
  return sources.reduce((sum, { text }) => sum + new Blob([text]).size, 0);
}

let waiting: ReadFiles | undefined;

export function handOver(read: ReadFiles): void {
  waiting = read;
}

/** Returns the handed-over files once. */
export function takeOver(): ReadFiles | undefined {
  const taken = waiting;
  waiting = undefined;
  return taken;
}

/** Whether pasted text is meant to be imported. */
export function looksLikeDocuments(text: string): boolean {
  return text.length <= IMPORT_MAX_BYTES && /^[ \t]*["']?kind["']?[ \t]*:[ \t]*["']?[A-Z]/m.test(text);
}
