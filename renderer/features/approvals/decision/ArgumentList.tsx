// The command line of a call, one argument a line, so that nothing in an argument can pass for another one.
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { formatBytes } from '../../../ui/status/format.ts';
import { excerptOf } from '../../../ui/text/large-text.ts';
import type { CallPlan } from '@svc/shared/api/approvals';

export function ArgumentList({ command }: { readonly command: NonNullable<CallPlan['command']> }) {
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label="Command line"
      className="max-h-80 overflow-auto rounded-md border border-border bg-sunken p-3 font-mono text-sm"
    >
      <div className="flex gap-3">
        <span className="w-5 shrink-0 text-right text-faint select-none">$</span>
        <UntrustedText
          block
          dir="ltr"
          text={command.binary === undefined ? '(the command of the image)' : quoteArgument(command.binary)}
          className="font-semibold"
        />
      </div>
      {command.args.map((argument, index) => (
        <div key={index} className="flex gap-3">
          <span className="w-5 shrink-0 text-right text-faint select-none">{index + 1}</span>
          {argument.text === undefined ? (
            <span className="min-w-0 text-danger">
              <UntrustedText block dir="ltr" text={argument.template} />
              <span className="font-sans">{argument.problem}</span>
            </span>
          ) : (
            <span className="min-w-0" title={`Made of ${argument.template}`}>
              <Argument text={quoteArgument(argument.text)} />
            </span>
          )}
        </div>
      ))}
      {command.stdin !== 'none' && (
        <div className="flex gap-3 text-muted">
          <span className="w-5 shrink-0 text-right text-faint select-none">{'<'}</span>
          <span className="font-sans">
            {command.stdin === 'input' ? 'the whole input' : 'the request of tool protocol v1, with the input,'} as JSON on standard input
          </span>
        </div>
      )}
    </div>
  );
}

/** An argument in shell notation, so that spaces and quotes cannot make one look like two. For reading only: no shell is involved. */
function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

const SHOWN_MAX_CHARS = 8_192;

function Argument({ text }: { readonly text: string }) {
  const excerpt = excerptOf(text, SHOWN_MAX_CHARS);
  return (
    <>
      <UntrustedText block dir="ltr" text={excerpt.text} />
      {excerpt.omitted > 0 && (
        <span className="block font-sans text-warn">… and {formatBytes(excerpt.omitted)} more; all of it is in the input below.</span>
      )}
    </>
  );
}
