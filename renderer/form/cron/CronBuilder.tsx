// Builder of a cron line: how often, and at which minute, time or day. A line that it cannot show is edited as text.
import { useState, type ReactNode } from 'react';
import { Checkbox } from '../../ui/input/Checkbox.tsx';
import { Field } from '../../ui/input/Field.tsx';
import { FieldContext } from '../../ui/input/field-context.ts';
import { Input } from '../../ui/input/Input.tsx';
import { Select } from '../../ui/input/Select.tsx';
import { readCron, switchTo, within, writeCron, type CronChoice } from './cron-choice.ts';

export interface CronBuilderProps {
  readonly value: string;
  /** Receives valid choices, and any text of an own expression. */
  readonly onChange: (expression: string) => void;
  readonly readOnly?: boolean;
}

const TYPES: readonly { readonly value: CronChoice['type']; readonly label: string }[] = [
  { value: 'minutes', label: 'Every few minutes' },
  { value: 'hourly', label: 'Every hour' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'On days of the week' },
  { value: 'monthly', label: 'On a day of the month' },
  { value: 'own', label: 'Own expression' },
];

const UNSET = { value: '', label: 'Choose…' };

/** Monday first. */
const WEEKDAYS = [
  [1, 'Mon', 'Monday'],
  [2, 'Tue', 'Tuesday'],
  [3, 'Wed', 'Wednesday'],
  [4, 'Thu', 'Thursday'],
  [5, 'Fri', 'Friday'],
  [6, 'Sat', 'Saturday'],
  [0, 'Sun', 'Sunday'],
] as const;

/** The first control takes the label of the field around it. */
export function CronBuilder({ value, onChange, readOnly = false }: CronBuilderProps) {
  const [own, setOwn] = useState(false);
  const choice: CronChoice = own ? { type: 'own', expression: value } : readCron(value);
  const unset = !own && value.trim() === '';
  const change = (next: CronChoice) => onChange(writeCron(next));
  return (
    <div className="flex flex-col gap-3">
      <Select
        className="w-56"
        value={unset ? UNSET.value : choice.type}
        options={unset ? [UNSET, ...TYPES] : TYPES}
        disabled={readOnly}
        onChange={(type) => {
          setOwn(type === 'own');
          change(switchTo(type as CronChoice['type'], choice));
        }}
      />
      <FieldContext value={undefined}>
        <div className="flex flex-wrap items-start gap-x-4 gap-y-3 empty:hidden">
          {!unset && <Details choice={choice} onChange={change} readOnly={readOnly} />}
        </div>
      </FieldContext>
    </div>
  );
}

interface DetailsProps {
  readonly choice: CronChoice;
  readonly onChange: (choice: CronChoice) => void;
  readonly readOnly: boolean;
}

function Details({ choice, onChange, readOnly }: DetailsProps): ReactNode {
  switch (choice.type) {
    case 'minutes':
      return (
        <NumberPart
          {...{ label: 'Minutes between runs', least: 1, most: 59, readOnly }}
          value={choice.every}
          hint={60 % choice.every === 0 ? undefined : 'Starts over at each full hour.'}
          onChange={(every) => onChange({ ...choice, every })}
        />
      );
    case 'hourly':
      return (
        <NumberPart
          {...{ label: 'Minute of the hour', least: 0, most: 59, readOnly }}
          value={choice.minute}
          onChange={(minute) => onChange({ ...choice, minute })}
        />
      );
    case 'own':
      return (
        <Field label="Cron expression" hint="minute hour day month weekday" className="w-72">
          <Input
            mono
            readOnly={readOnly}
            value={choice.expression}
            placeholder="30 9 * * 1-5"
            onChange={(event) => onChange({ type: 'own', expression: event.target.value })}
          />
        </Field>
      );
    default:
      return (
        <>
          {choice.type === 'monthly' && (
            <NumberPart
              {...{ label: 'Day of the month', least: 1, most: 31, readOnly }}
              value={choice.day}
              hint={choice.day > 28 ? `Months without a day ${choice.day} are left out.` : undefined}
              onChange={(day) => onChange({ ...choice, day })}
            />
          )}
          {choice.type === 'weekly' && (
            <Weekdays days={choice.days} readOnly={readOnly} onChange={(days) => onChange({ ...choice, days })} />
          )}
          <TimeOfDay choice={choice} readOnly={readOnly} onChange={(time) => onChange({ ...choice, ...time })} />
        </>
      );
  }
}

interface NumberPartProps {
  readonly label: string;
  readonly least: number;
  readonly most: number;
  readonly value: number;
  readonly hint?: string | undefined;
  readonly readOnly: boolean;
  readonly onChange: (value: number) => void;
}

/** Text that is not such a number stays in the field with its error, and changes nothing. */
function NumberPart({ label, least, most, value, hint, readOnly, onChange }: NumberPartProps) {
  const [draft, setDraft] = useState<string>();
  const bad = draft !== undefined && within(draft, least, most) === undefined;
  const text = draft !== undefined && (bad || Number(draft) === value) ? draft : String(value);
  return (
    <Field
      label={label}
      className="w-60"
      error={bad ? `must be a whole number from ${least} to ${most}` : undefined}
      {...(hint !== undefined && { hint })}
    >
      <Input
        inputMode="numeric"
        readOnly={readOnly}
        value={text}
        onChange={(event) => {
          setDraft(event.target.value);
          const next = within(event.target.value, least, most);
          if (next !== undefined) onChange(next);
        }}
      />
    </Field>
  );
}

interface TimeOfDayProps {
  readonly choice: { readonly hour: number; readonly minute: number };
  readonly readOnly: boolean;
  readonly onChange: (time: { readonly hour: number; readonly minute: number }) => void;
}

function TimeOfDay({ choice, readOnly, onChange }: TimeOfDayProps) {
  const [empty, setEmpty] = useState(false);
  const shown = [choice.hour, choice.minute].map((part) => String(part).padStart(2, '0')).join(':');
  return (
    <Field label="Time" className="w-40" error={empty ? 'must be a time of day such as 09:30' : undefined}>
      <Input
        type="time"
        readOnly={readOnly}
        value={empty ? '' : shown}
        onChange={(event) => {
          const [hour, minute] = event.target.value.split(':').map(Number);
          setEmpty(minute === undefined);
          if (hour !== undefined && minute !== undefined) onChange({ hour, minute });
        }}
      />
    </Field>
  );
}

interface WeekdaysProps {
  readonly days: readonly number[];
  readonly readOnly: boolean;
  readonly onChange: (days: readonly number[]) => void;
}

function Weekdays({ days, readOnly, onChange }: WeekdaysProps) {
  const [refused, setRefused] = useState(false);
  const toggle = (day: number, checked: boolean) => {
    const next = checked ? [...days, day].sort((a, b) => a - b) : days.filter((each) => each !== day);
    setRefused(next.length === 0);
    if (next.length > 0) onChange(next);
  };
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium text-text">Weekdays</legend>
      <div className="flex h-control flex-wrap items-center gap-x-3">
        {WEEKDAYS.map(([day, short, name]) => (
          <Checkbox
            key={day}
            label={short}
            aria-label={name}
            checked={days.includes(day)}
            disabled={readOnly}
            onChange={(checked) => toggle(day, checked)}
          />
        ))}
      </div>
      {refused && (
        <p role="alert" className="text-sm text-danger">
          At least one weekday has to stay.
        </p>
      )}
    </fieldset>
  );
}
