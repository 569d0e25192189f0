// Columns of the run list, and their order.
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Popover } from '../../../ui/overlay/Popover.tsx';
import { moved } from './run-columns.tsx';

export interface RunColumnsButtonProps {
  /** In the order shown. */
  readonly columns: readonly { readonly id: string; readonly title: string; readonly pinned?: boolean }[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (change: { readonly columns?: readonly string[]; readonly hidden?: readonly string[] }) => void;
  readonly onReset: () => void;
}

export function RunColumnsButton({ columns, hidden, onChange, onReset }: RunColumnsButtonProps) {
  const ids = columns.map(({ id }) => id);
  const toggle = (id: string) => onChange({ hidden: hidden.has(id) ? [...hidden].filter((each) => each !== id) : [...hidden, id] });
  return (
    <Popover label="Columns" align="end" trigger={<Button icon={<Columns3 />}>Columns</Button>} className="p-2">
      <ul className="flex flex-col">
        {columns.map(({ id, title, pinned }, index) => (
          <li key={id} className="flex h-8 items-center gap-1 rounded-md pl-2 hover:bg-hover">
            <span className="flex-1">
              <Checkbox checked={pinned === true || !hidden.has(id)} disabled={pinned === true} onChange={() => toggle(id)} label={title} />
            </span>
            <IconButton
              size="sm"
              label={`Move ${title} to the left`}
              icon={<ArrowUp />}
              disabledReason={index === 0 ? 'It is the first' : undefined}
              onClick={() => onChange({ columns: moved(ids, id, -1) })}
            />
            <IconButton
              size="sm"
              label={`Move ${title} to the right`}
              icon={<ArrowDown />}
              disabledReason={index === columns.length - 1 ? 'It is the last' : undefined}
              onClick={() => onChange({ columns: moved(ids, id, 1) })}
            />
          </li>
        ))}
      </ul>
      <div className="mt-1 flex justify-end border-t border-border pt-2">
        <Button size="sm" variant="ghost" onClick={onReset}>
          Reset
        </Button>
      </div>
    </Popover>
  );
}
