// Saves the whole trace as a file.
import { Download } from 'lucide-react';
import { useState } from 'react';
import { announce } from '../../../ui/announcer.ts';
import { formatNumber } from '../../../ui/format.ts';
import { IconButton } from '../../../ui/IconButton.tsx';
import { toastError } from '../../../ui/toast.ts';
import { exportTrace } from './export-trace.ts';
import type { RunRef } from '../model/use-run-trace.ts';

export function ExportTraceButton({ run }: { readonly run: RunRef }) {
  const [count, setCount] = useState<number | undefined>();
  const save = async () => {
    setCount(0);
    try {
      await exportTrace(run, setCount);
      announce('The trace was exported');
    } catch (error) {
      toastError('The trace could not be exported', error);
    } finally {
      setCount(undefined);
    }
  };
  const label = count === undefined || count === 0 ? 'Export the trace as JSON' : `Exporting, ${formatNumber(count)} entries`;
  return <IconButton label={label} icon={<Download />} busy={count !== undefined} onClick={save} />;
}
