// Reads files to import. A bundle opens the page that imports bundles.
import { useScope } from '../../../navigation/scope.ts';
import { pageAddress } from '../../../navigation/addresses.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { toastError } from '../../../ui/overlay/toast.ts';
import { passBundle, isBundleName, readBundleFile } from '../../bundles/model/bundle-file.ts';
import { readFiles, type ReadFiles } from '../model/sources.ts';

export function useTakeFiles(onRead: (read: ReadFiles) => void): (files: readonly File[]) => void {
  const { home } = useScope();
  const { go } = useNavigation();
  const take = async (files: readonly File[]): Promise<void> => {
    const [bundle] = files;
    if (files.length !== 1 || !bundle || !isBundleName(bundle.name)) return onRead(await readFiles(files));
    passBundle(await readBundleFile(bundle));
    go(pageAddress(home, 'bundle'));
  };
  return (files) => void take(files).catch((error: unknown) => toastError('The file was not read', error));
}
