// One setting: label, description and control.
import type { ReactNode } from 'react';

export interface SettingRowProps {
  readonly title: string;
  readonly text: ReactNode;
  readonly children: ReactNode;
}

export function SettingRow({ title, text, children }: SettingRowProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-2 border-b border-border/60 px-4 py-3.5 last:border-0">
      <div className="min-w-0 flex-1 basis-60">
        <h2 className="font-medium">{title}</h2>
        <p className="text-pretty text-muted">{text}</p>
      </div>
      {children}
    </div>
  );
}
