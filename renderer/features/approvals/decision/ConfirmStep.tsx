// The second step of a decision: an undo window of seconds, a second press, or the typed name.
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Kbd } from '../../../ui/text/Kbd.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { HOLD_MS, type DecisionControl, type Stage } from './use-decision.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface ConfirmStepProps {
  readonly control: DecisionControl;
  readonly stage: Extract<Stage, { readonly name: 'hold' | 'arm' | 'typed' }>;
  readonly subject: string;
  readonly approveLabel: string;
  readonly approveConsequence: string;
  readonly denyConsequence: string;
  /** Called before a letter on the button of a denial has its effect: the reason is being typed. */
  readonly onType: () => void;
}

/** Keys of the page that keep their effect during the second step: undo and comment. */
const PAGE_KEYS = new Set(['u', 'c']);

export function ConfirmStep(props: ConfirmStepProps) {
  const { control, stage, subject, approveLabel, approveConsequence, denyConsequence, onType } = props;
  const [typed, setTyped] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const denies = stage.decision === 'denied';
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, button[type="submit"]')?.focus();
  }, []);
  const ready = stage.name !== 'typed' || typed === subject;
  const submit = () => {
    if (ready) control.confirm();
  };
  /** A decision that a key armed takes Enter alone: a space is part of a text that was meant for the comment. */
  const onButtonKey = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (key === ' ') event.preventDefault();
    else if (event.type === 'keydown' && denies && key.length === 1 && !ctrlKey && !metaKey && !altKey && !PAGE_KEYS.has(key)) {
      event.stopPropagation();
      onType();
    }
  };
  const verb = denies ? 'Deny' : approveLabel;
  return (
    <Form
      ref={form}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        control.takeBack();
      }}
      className="mt-2.5 flex flex-col gap-2 rounded-md border border-border-strong/60 bg-sunken p-3"
    >
      <p className="text-base text-text">
        <UntrustedText text={denies ? denyConsequence : approveConsequence} />{' '}
        {stage.name === 'hold' ? 'Not sent yet.' : 'A decision is final.'}
        {stage.name === 'hold' && <SendsIn until={stage.until} />}
      </p>
      {stage.name === 'typed' && (
        <Field
          label={
            <>
              Critical risk: type <code className="rounded-xs bg-neutral-soft px-1 font-mono text-text">{subject}</code> to approve
            </>
          }
        >
          <Input mono value={typed} onChange={(event) => setTyped(event.target.value)} />
        </Field>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant={denies ? 'danger' : 'primary'} disabled={!ready} onKeyDown={onButtonKey} onKeyUp={onButtonKey}>
          {stage.name === 'hold' ? `${verb} now` : `Confirm: ${verb.toLowerCase()}`}
          <Kbd hint keys="enter" className="max-sm:hidden" />
        </Button>
        <Button onClick={control.takeBack}>
          Undo
          <Kbd hint keys="escape" className="max-sm:hidden" />
        </Button>
      </div>
    </Form>
  );
}

function SendsIn({ until }: { readonly until: number }) {
  const [left, setLeft] = useState(() => until - Date.now());
  useEffect(() => {
    const timer = setInterval(() => setLeft(until - Date.now()), 200);
    return () => clearInterval(timer);
  }, [until]);
  return (
    <>
      {' '}
      <span className="font-semibold tabular-nums">Sends in {Math.max(0, Math.ceil(left / 1000))} s.</span>
      <span aria-hidden className="mt-1.5 block h-1 overflow-hidden rounded-full bg-neutral-soft">
        <span className="block h-full bg-accent" style={{ width: `${Math.max(0, Math.min(100, (left / HOLD_MS) * 100))}%` }} />
      </span>
    </>
  );
}
