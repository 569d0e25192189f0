// Opens a trace file, inside of a TraceImport.
import { FileInput } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { useTraceImport } from './TraceImport.tsx';

export function ImportTraceButton() {
  const choose = useTraceImport();
  return (
    choose && (
      <Button icon={<FileInput />} onClick={choose}>
        Open a trace file
      </Button>
    )
  );
}
