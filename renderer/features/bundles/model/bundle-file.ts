// Bundles as files: read from the machine, handed to the page that imports them, and written. A text never passes through the address.
import { BUNDLE_ENDING } from '@svc/shared/bundle/bundle';
import { callRest } from '../../../live/rest.ts';
import { native } from '../../../native/native.ts';

export interface BundleFile {
  readonly name: string;
  readonly text: string;
}

const YAML = 'application/yaml';
/** Limit of one request. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

export const isBundleName = (name: string): boolean => name.toLowerCase().endsWith(BUNDLE_ENDING);

/** Rejects for a file that is too large for an import. */
export async function readBundleFile(file: File): Promise<BundleFile> {
  if (file.size > FILE_BYTES_MAX) throw new Error(`${file.name} is larger than 4 MiB, the limit of one bundle`);
  return { name: file.name, text: await file.text() };
}

let waiting: BundleFile | undefined;

/** Keeps a file for the import page, which an address then opens. */
export function passBundle(file: BundleFile): void {
  waiting = file;
}

/** Returns a handed-over file once. */
export function takeBundle(): BundleFile | undefined {
  const taken = waiting;
  waiting = undefined;
  return taken;
}

/** Writes the bundle of a system as a file of the person. */
export async function exportBundle({ namespace, name }: { readonly namespace: string; readonly name: string }): Promise<void> {
  const query = new URLSearchParams({ namespace });
  const { text } = await callRest(`/v1/agent-systems/${encodeURIComponent(name)}/bundle?${query}`, { headers: { accept: YAML } });
  native.saveText(`${name}${BUNDLE_ENDING}`, text, YAML);
}

export const bundleBody = (text: string) => ({ content: text, type: YAML });
