// Files that the console exports and opens again, read as untrusted texts: size, format, version and time, but no content.
import { isObject } from '@svc/shared/json';
import { formatBytes } from '../status/format.ts';

/** Formats of this console, with the page that opens each. */
const FORMATS = {
  'svc-trace': { noun: 'trace', page: 'Runs' },
  'svc-conversation': { noun: 'conversation', page: 'Sessions' },
} as const;

export interface FileFormat {
  readonly format: keyof typeof FORMATS;
  /** The newest version that is read, from 1. */
  readonly version: number;
}

/** Reason why a file cannot be opened, in a sentence for the person who opened it. */
class ExportedFileError extends Error {
  override readonly name = 'ExportedFileError';
  readonly code = 'invalid';
}

export const refuse = (message: string): never => {
  throw new ExportedFileError(message);
};

const isFormat = (value: unknown): value is FileFormat['format'] => typeof value === 'string' && Object.hasOwn(FORMATS, value);

export const isMoment = (text: string): boolean => Number.isFinite(Date.parse(text));

export function filledTextAt(value: unknown, path: string): string {
  return typeof value === 'string' && value !== ''
    ? value
    : refuse(`"${path}" should be a string; this file was not written by an export.`);
}

function parsed(text: string, { format: wanted }: FileFormat): Readonly<Record<string, unknown>> {
  const { noun } = FORMATS[wanted];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(`This file is not JSON, or it was cut off. Export the ${noun} again and open the file as it is.`);
  }
  return isObject(value) ? value : refuse(`This file contains no ${noun}: it should begin with { "format": "${wanted}" … }.`);
}

/** The fields of a file of this format. `exported_at` is RFC 3339; the others are not checked. */
export function openExport(text: string, wanted: FileFormat): Readonly<Record<string, unknown>> & { readonly exported_at: string } {
  const { noun } = FORMATS[wanted.format];
  const fields = parsed(text, wanted);
  const { format, version } = fields;
  if (format !== wanted.format) {
    if (isFormat(format)) return refuse(`This is a ${FORMATS[format].noun} file; open it in ${FORMATS[format].page}.`);
    const named = format === undefined ? 'missing' : JSON.stringify(format).slice(0, 100);
    return refuse(`This file contains no ${noun}: its format is ${named}, not "${wanted.format}".`);
  }
  if (typeof version !== 'number' || version < 1) return refuse('The version of the format should be a number from 1.');
  if (version > wanted.version)
    return refuse(
      `This ${noun} was written in version ${version} of the format; this console reads up to ${wanted.version}. Open it in a newer one.`,
    );
  const exportedAt = filledTextAt(fields['exported_at'], 'exported_at');
  return isMoment(exportedAt) ? { ...fields, exported_at: exportedAt } : refuse('"exported_at" should be a time.');
}

/** Items read in one go: about a twentieth of a second. */
const STRETCH = 2_000;

/** Reads in stretches, between which the page can be painted. `onProgress` gets the part that was read, from 0 to 1. */
export async function readItems<Item>(
  items: readonly unknown[],
  read: (item: unknown, index: number) => Item,
  onProgress: (part: number) => void,
): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for (const [index, item] of items.entries()) {
    taken.push(read(item, index));
    if (taken.length % STRETCH !== 0) continue;
    onProgress(taken.length / items.length);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return taken;
}

/** The text of a chosen file. Rejects for a file of more than `bytesMax`. */
export async function readText(file: Blob, bytesMax: number): Promise<string> {
  if (file.size > bytesMax) return refuse(`The file has ${formatBytes(file.size)}; at most ${formatBytes(bytesMax)} are read.`);
  return file.text();
}
