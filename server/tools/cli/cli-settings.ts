// `spec.cli` of a Tool, read once into checked values. Pure.
import { parseTemplate, TemplateSyntaxError, type Template } from '@svc/shared/cli-template';
import { isObject } from '@svc/shared/json';
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
  const cli = isObject(tool.spec['cli']) ? tool.spec['cli'] : {};
  const output = cli['output'];
  return {
    command: noNul(tool, 'command', text(cli['command']) ?? ''),
    args: list(cli['args']).map((arg, index) => template(tool, arg, index)),
    image: optional(tool, 'image', cli['image']),
    imagePullSecret: text(cli['image_pull_secret']),
    network: optional(tool, 'network', cli['network']),
    stdinFromInput: cli['stdin_from_input'] === true,
    output: output === 'stderr' || output === 'both' ? output : 'stdout',
    workingDir: optional(tool, 'working_dir', cli['working_dir']),
    env: literals(tool, cli['env']),
    envFrom: list(cli['env_from']).map((entry, index) => variableFrom(tool, entry, index)),
  };
}

function template(tool: ToolRef, arg: unknown, index: number): Template {
  try {
    return parseTemplate(String(arg));
  } catch (error) {
    if (error instanceof TemplateSyntaxError) throw invalidTool(tool, `spec.cli.args[${index}] ${error.message}`);
    throw error;
  }
}

function literals(tool: ToolRef, env: unknown): Record<string, string> {
  const entries = Object.entries(isObject(env) ? env : {});
  return Object.fromEntries(entries.map(([name, value]) => [variableName(tool, name), noNul(tool, `env.${name}`, String(value))]));
}

function variableFrom(tool: ToolRef, entry: unknown, index: number): VariableFrom {
  const { name, secretRef, key } = isObject(entry) ? entry : {};
  if (typeof name !== 'string' || typeof secretRef !== 'string')
    throw invalidTool(tool, `spec.cli.env_from[${index}] needs name and secretRef`);
  return { name: variableName(tool, name), secretRef, key: text(key) ?? 'value' };
}

function variableName(tool: ToolRef, name: string): string {
  if (VARIABLE_NAME.test(name)) return name;
  throw invalidTool(tool, `spec.cli has a variable whose name cannot be one: ${JSON.stringify(name.slice(0, 80))}`);
}

function noNul(tool: ToolRef, field: string, value: string): string {
  if (value.includes('\0')) throw invalidTool(tool, `spec.cli.${field} holds a NUL character, which no command can be given`);
  return value;
}

function optional(tool: ToolRef, ...[field, value]: [string, unknown]): string | undefined {
  const given = text(value);
  return given === undefined ? undefined : noNul(tool, field, given);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
