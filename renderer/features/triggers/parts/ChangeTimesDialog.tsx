// Changes when a schedule runs: its cron line and its time zone, nothing else.
import { cronProblem, timeZoneProblem } from '@svc/shared/cron/cron';
import type { Resource } from '@svc/shared/resource';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CronBuilder } from '../../../form/cron/CronBuilder.tsx';
import { DueTimes } from '../../../form/cron/DueTimes.tsx';
import { TimeZoneField } from '../../../form/cron/TimeZoneField.tsx';
import { specOf } from '../../../kinds/read.ts';
import { client } from '../../../live/api.ts';
import { problemOf } from '../../../live/problem.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { Form } from '../../../ui/input/Form.tsx';

interface ChangeTimesDialogProps {
  readonly resource: Resource;
  readonly onClose: () => void;
}

export function ChangeTimesDialog({ resource, onClose }: ChangeTimesDialogProps) {
  const { kind, metadata } = resource;
  // As the dialog showed it first: what others change meanwhile stays.
  const [before] = useState(() => specOf('TaskSchedule', resource));
  const [schedule, setSchedule] = useState(before.schedule);
  const [zone, setZone] = useState<string>(before.time_zone);
  const { reason } = useCanWrite();
  const [problem, zoneProblem] = [cronProblem(schedule), timeZoneProblem(zone)];
  const changes = {
    ...(schedule.trim() !== before.schedule && { schedule: schedule.trim() }),
    ...(zone !== before.time_zone && { time_zone: zone }),
  };
  const save = useMutation({
    mutationFn: () => {
      const { namespace, name, uid } = metadata;
      return client.resources.write.mutate({ kind, namespace, name, uid, mode: 'patch', body: { spec: changes } });
    },
    onSuccess: () => {
      toastDone(`${metadata.name} runs at other times from now on`);
      onClose();
    },
  });
  return (
    <Dialog
      open
      size="lg"
      onClose={onClose}
      closable={!save.isPending}
      title={`Change when ${metadata.name} runs`}
      description="Due times are counted from the change. Started runs continue."
    >
      <Form onSubmit={() => save.mutate()} className="flex flex-col gap-4">
        <Field label="Repeats" error={problem}>
          <CronBuilder value={schedule} onChange={setSchedule} />
        </Field>
        <Field label="Time zone" error={zoneProblem} className="max-w-sm">
          <TimeZoneField value={zone} onChange={(next) => setZone(next ?? 'UTC')} />
        </Field>
        <DueTimes schedule={schedule} zone={zone} />
        {save.error && <Banner tone="danger">{problemOf(save.error).message}</Banner>}
        <FormButtons
          submit="Save"
          onCancel={onClose}
          busy={save.isPending}
          disabledReason={reason}
          disabled={Object.keys(changes).length === 0 || problem !== undefined || zoneProblem !== undefined}
        />
      </Form>
    </Dialog>
  );
}
