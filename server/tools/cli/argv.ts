// The command line of a call: each template is exactly one argument, whatever it expands to. Pure.
import { renderTemplate, TemplateInputError } from '@svc/shared/cli-template';
import type { JsonObject } from '@svc/shared/json';
import { CallError } from '../../engine/ports.ts';
import type { CliSettings } from './cli-settings.ts';

export interface ArgvLimits {
  /** Of all arguments with the command, each counted with the byte that ends it. */
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
    try {
      const arg = renderTemplate(template, input, maxBytes);
      if (arg.includes('\0')) throw new TemplateInputError('holds a NUL character, which no argument can');
      bytes += Buffer.byteLength(arg) + 1;
      return arg;
    } catch (error) {
      if (error instanceof TemplateInputError) throw invalidInput(`argument ${index} of ${title} ${error.message}`, 'template_input');
      throw error;
    }
  });
  if (bytes > maxBytes) {
    throw invalidInput(`the command line of ${title} would have ${bytes} bytes, and at most ${maxBytes} are allowed`, 'argv_too_long');
  }
  return [command, ...rendered];
}

function invalidInput(message: string, reason: string): CallError {
  return new CallError('invalid_input', message, { retryable: false, reason });
}
