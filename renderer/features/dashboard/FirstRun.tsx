// Content of the dashboard on an empty server: four steps to a first run, and the tour that takes them for you.
import { ArrowRight, Check, Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import { createAddress, kindAddress, welcomeAddress } from '../../navigation/addresses.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { cn } from '../../ui/cn.ts';
import { Link } from '../../ui/link/Link.tsx';
import { LinkButton } from '../../ui/button/LinkButton.tsx';
import { KeyOffers } from './KeyOffers.tsx';
import { FIRST_STEPS, type FirstRunState, type FirstStep } from './first-run.ts';

export interface FirstRunProps {
  readonly state: FirstRunState;
  readonly home: string;
}

export function FirstRun({ state, home }: FirstRunProps) {
  const { allowed, reason } = useCanWrite();
  return (
    <section aria-label="First steps" className="overflow-hidden rounded-xl border border-border bg-surface shadow-raised">
      <div className="grid lg:grid-cols-[5fr_6fr]">
        <div className="flex flex-col justify-center gap-3 border-b border-border bg-accent-soft p-8 max-sm:p-5 lg:border-r lg:border-b-0">
          <Sparkles aria-hidden className="size-6 text-accent-text" />
          <h2 className="text-xl font-semibold tracking-tight text-balance">Nothing has run on this server yet</h2>
          <p className="max-w-prose text-md text-pretty text-muted">
            The tour sets up a small system, runs it, and lets you decide what its agent may do. It takes two minutes and needs no key: a
            mock model answers.
          </p>
          <div className="mt-2 flex flex-wrap items-center gap-2">
            <LinkButton variant="primary" size="lg" href={welcomeAddress()} icon={<ArrowRight />}>
              Take the tour
            </LinkButton>
          </div>
          {!allowed && <p className="text-sm text-muted">{reason}</p>}
        </div>
        <ol aria-label="Steps to a first run" className="flex flex-col justify-center p-4">
          {FIRST_STEPS.map((step, index) => (
            <StepRow
              key={step.kind}
              step={step}
              number={index + 1}
              home={home}
              done={state.done[index] === true}
              now={state.next === index}
            >
              {step.kind === 'ModelEndpoint' && state.done[index] === false && <KeyOffers namespace={home} />}
            </StepRow>
          ))}
        </ol>
      </div>
    </section>
  );
}

interface StepRowProps {
  readonly step: FirstStep;
  readonly number: number;
  readonly home: string;
  readonly done: boolean;
  readonly now: boolean;
  readonly children?: ReactNode;
}

function StepRow({ step, number, home, done, now, children }: StepRowProps) {
  const href = step.kind === 'Task' ? kindAddress(home, 'AgentSystem') : createAddress(home, step.kind);
  return (
    <li className="rounded-md px-4 py-3">
      <div className="flex items-center gap-4">
        <span
          aria-hidden
          className={cn(
            'flex size-7 shrink-0 items-center justify-center rounded-full text-sm font-semibold [&_svg]:size-4',
            done ? 'bg-ok-soft text-ok' : now ? 'bg-accent text-on-accent' : 'bg-neutral-soft text-neutral',
          )}
        >
          {done ? <Check /> : number}
        </span>
        <span className="min-w-0 flex-1">
          <span className={cn('block font-medium', done && 'text-muted')}>
            {step.title}
            {done && <span className="sr-only"> (done)</span>}
          </span>
          <span className="block text-sm text-muted">{step.text}</span>
        </span>
        {done ? (
          <Link href={kindAddress(home, step.kind)} className="text-sm">
            Look
          </Link>
        ) : now ? (
          <LinkButton href={href}>{step.action}</LinkButton>
        ) : (
          <Link href={href} className="text-sm">
            {step.action}
          </Link>
        )}
      </div>
      {children}
    </li>
  );
}
