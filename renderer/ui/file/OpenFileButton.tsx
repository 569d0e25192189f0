// Opens a file of the page's own sort; nothing outside of a FileView.
import { FileInput } from 'lucide-react';
import { Button } from '../button/Button.tsx';
import { useFileView } from './file-view.ts';

export function OpenFileButton() {
  const view = useFileView();
  return (
    view && (
      <Button icon={<FileInput />} onClick={view.choose}>
        Open a {view.noun} file
      </Button>
    )
  );
}
