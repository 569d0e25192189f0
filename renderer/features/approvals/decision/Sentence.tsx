// The request of an approval in one plain sentence.
import { cn } from '../../../ui/cn.ts';
import type { Approval } from '../model/approval.ts';
import { Bold } from './Bold.tsx';

const VERBS: Readonly<Record<string, string>> = { read: 'read', write: 'write', delete: 'delete', admin: 'administer' };

const INKS: Readonly<Record<string, string>> = { write: 'text-warn', delete: 'text-danger', administer: 'text-danger' };

export function Sentence({ approval }: { readonly approval: Approval }) {
  const { agent } = approval;
  const who =
    agent === '' ? (
      'An agent'
    ) : (
      <>
        Agent <Bold text={agent} />
      </>
    );
  if (approval.kind === 'TaskApproval') return <ReviewSentence who={who} name={approval.task.name} whole={approval.wholeTask} />;
  const tool = <Bold text={approval.tool.name} />;
  if (approval.unknownOutcome)
    return (
      <>
        {who} called {tool}, but no result arrived. Did it run?
      </>
    );
  const verb = VERBS[approval.operation];
  if (verb === undefined)
    return (
      <>
        {who} wants to run {tool}
      </>
    );
  return (
    <>
      {who} wants to run {tool} (<strong className={cn('font-semibold', INKS[verb])}>{verb}</strong>)
    </>
  );
}

function ReviewSentence({ who, name, whole }: { readonly who: React.ReactNode; readonly name: string; readonly whole: boolean }) {
  if (whole)
    return (
      <>
        Run <Bold text={name} /> is complete. Accept this output?
      </>
    );
  return <>{who} wrote this output. Continue the run?</>;
}
