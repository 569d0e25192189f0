// The command line of a call: each template is exactly one argument, whatever it expands to. Pure.
import { renderTemplate, TemplateInputError, type Template } from '@svc/shared/cli-template';
import type { JsonObject } from '@svc/shared/json';
import { CallError } from '../../engine/ports.ts';
import type { CliSettings } from './cli-settings.ts';

export interface ArgvLimits {
  /** Size limit of all arguments with the command, each counted with the byte that ends it. */
  readonly maxBytes: number;
  /** Names the tool in errors. */
  readonly title: string;
}

/** Throws CallError `invalid_input`, which names the argument and the field. */
export function argvOf(
  { command, args }: Pick<CliSettings, 'command' | 'args'>,
  input: JsonObject,
  limits: ArgvLimits,
): [string, ...string[]] {
  const { maxBytes, title } = limits;
  let bytes = Buffer.byteLength(command) + 1;
  const rendered = args.map((template, index) => {
    const arg = renderArgument(template, input, maxBytes);
    if (arg instanceof TemplateInputError) throw invalidInput(`argument ${index} of ${title} ${arg.message}`, 'template_input');
    bytes += Buffer.byteLength(arg) + 1;
    return arg;
  });
  if (bytes > maxBytes) {
    throw invalidInput(`the command line of ${title} would have ${bytes} bytes, and at most ${maxBytes} are allowed`, 'argv_too_long');
  }
  return [command, ...rendered];
}

/** One argument, or why the input cannot fill it; the message follows the name of the argument. */
export function renderArgument(template: Template, input: JsonObject, maxBytes: number): string | TemplateInputError {
  try {
    const arg = renderTemplate(template, input, maxBytes);
    return arg.includes('\0') ? new TemplateInputError('holds a NUL character, which no argument can') : arg;
  } catch (error) {
    if (error instanceof TemplateInputError) return error;
    throw error;
  }
}

function invalidInput(message: string, reason: string): CallError {
  return new CallError('invalid_input', message, { retryable: false, reason });
}
