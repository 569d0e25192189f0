// JSON as text, with its syntax checked. Its meaning is the caller's concern.
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { linter, lintGutter } from '@codemirror/lint';
import { useId } from 'react';
import { cn } from '../ui/cn.ts';
import { VisuallyHidden } from '../ui/layout/VisuallyHidden.tsx';
import { useCodeView } from './codemirror/use-code-view.ts';

export interface JsonEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly className?: string;
}

const language = [json(), lintGutter(), linter(jsonParseLinter(), { delay: 300 })];

export function JsonEditor({ value, onChange, label, className }: JsonEditorProps) {
  const hint = useId();
  const { host } = useCodeView({ value, onChange, label, readOnly: false, extensions: language, describedBy: hint });
  return (
    <div className={cn('flex min-h-0 flex-col overflow-hidden rounded-md border border-border bg-surface', className)}>
      <VisuallyHidden>
        <span id={hint}>Press Escape, then Tab, to leave the editor.</span>
      </VisuallyHidden>
      <div ref={host} className="min-h-0 flex-1 overflow-auto" />
    </div>
  );
}
