// Field of a cron line in a form: the builder, and the due times in the time zone beside it.
import { useForm, type PartProps } from '../form-context.ts';
import { CronBuilder } from './CronBuilder.tsx';
import { DueTimes } from './DueTimes.tsx';

export function CronField({ part: { value, onChange, path } }: { readonly part: PartProps }) {
  const { readOnly, valueAtPath } = useForm();
  const schedule = typeof value === 'string' ? value : '';
  const zone = valueAtPath?.([...path.slice(0, -1), 'time_zone']);
  return (
    <div className="flex flex-col gap-3">
      <CronBuilder value={schedule} onChange={onChange} readOnly={readOnly} />
      <DueTimes schedule={schedule} zone={typeof zone === 'string' && zone !== '' ? zone : 'UTC'} />
    </div>
  );
}
