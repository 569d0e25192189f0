// `spec.cli` of a Tool as checked values. Pure.
import { parseTemplate, TemplateSyntaxError, type Template } from '@svc/shared/cli-template';
import type { ToolCli } from '@svc/shared/kinds/tool/normalize';
import type { ToolRef } from '../../engine/ports.ts';
import { invalidTool } from '../tool-settings.ts';

export interface CliSettings {
  /** Empty where the image's own command is to run. */
  readonly command: string;
  readonly args: readonly Template[];
  readonly image: string | undefined;
  readonly imagePullSecret: string | undefined;
  readonly network: string | undefined;
  readonly stdinFromInput: boolean;
  readonly output: 'stdout' | 'stderr' | 'both';
  readonly workingDir: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly envFrom: readonly VariableFrom[];
}

export interface VariableFrom {
  readonly name: string;
  readonly secretRef: string;
  readonly key: string;
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Throws CallError `runtime_policy_invalid`. A tool without `spec.cli` gets empty settings. */
export function cliSettings(tool: ToolRef): CliSettings {
  const { command = '', args = [], output, env = {}, env_from = [], ...cli }: Partial<ToolCli> = tool.spec.cli ?? {};
  return {
    command: noNul(tool, 'command', command),
    args: args.map((arg, index) => template(tool, arg, index)),
    image: optional(tool, 'image', cli.image),
    imagePullSecret: cli.image_pull_secret,
    network: optional(tool, 'network', cli.network),
    stdinFromInput: cli.stdin_from_input === true,
    output: output === 'stderr' || output === 'both' ? output : 'stdout',
    workingDir: optional(tool, 'working_dir', cli.working_dir),
    env: literals(tool, env),
    envFrom: env_from.map((variable) => ({ ...variable, name: variableName(tool, variable.name) })),
  };
}

function template(tool: ToolRef, arg: string, index: number): Template {
  try {
    return parseTemplate(arg);
  } catch (error) {
    if (error instanceof TemplateSyntaxError) throw invalidTool(tool, `spec.cli.args[${index}] ${error.message}`);
    throw error;
  }
}

function literals(tool: ToolRef, env: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(env);
  return Object.fromEntries(entries.map(([name, value]) => [variableName(tool, name), noNul(tool, `env.${name}`, value)]));
}

function variableName(tool: ToolRef, name: string): string {
  if (VARIABLE_NAME.test(name)) return name;
  throw invalidTool(tool, `spec.cli has a variable whose name cannot be one: ${JSON.stringify(name.slice(0, 80))}`);
}

function noNul(tool: ToolRef, field: string, value: string): string {
  if (value.includes('\0')) throw invalidTool(tool, `spec.cli.${field} holds a NUL character, which no command can be given`);
  return value;
}

function optional(tool: ToolRef, ...[field, value]: [string, string | undefined]): string | undefined {
  return value === undefined ? undefined : noNul(tool, field, value);
}
