// A visible choice out of two to five: a view, a mode, a unit.
import { RadioGroup as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '../cn.ts';

export interface Segment<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  /** Its name when the label is an icon. */
  readonly name?: string;
}

export interface SegmentedControlProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly segments: readonly Segment<Value>[];
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
  readonly className?: string;
}

export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { label, value, segments, onChange, disabled = false, className } = props;
  return (
    <Primitive.Root
      aria-label={label}
      orientation="horizontal"
      value={value}
      disabled={disabled}
      onValueChange={(next) => onChange(next as Value)}
      className={cn('inline-flex h-control w-fit items-center gap-0.5 rounded-md border border-border bg-sunken p-0.5', className)}
    >
      {segments.map((segment) => (
        <Primitive.Item
          key={segment.value}
          value={segment.value}
          aria-label={segment.name}
          className="inline-flex h-full min-w-6 items-center justify-center gap-1.5 rounded-sm px-2 text-sm font-medium text-muted transition-colors enabled:hover:text-text disabled:cursor-not-allowed disabled:opacity-60 data-[state=checked]:bg-surface data-[state=checked]:text-text data-[state=checked]:shadow-raised data-[state=checked]:ring-1 data-[state=checked]:ring-border [&_svg]:size-3.5"
        >
          {segment.label}
        </Primitive.Item>
      ))}
    </Primitive.Root>
  );
}
