// How flags are declared: every flag `--some-flag` has the variable SVC_SOME_FLAG, a help text and perhaps a default.
import { Option, type Command } from 'commander';
import { parseBool, parseCount, parseUrl } from './flag-values.ts';

export const variableOf = (name: string): string => `SVC_${name.replaceAll('-', '_').toUpperCase()}`;

interface Default<T> {
  readonly help: string;
  readonly fallback?: T;
  readonly shown?: string;
}

/** `shown` is the default as help and reference pages put it, where the value itself would not say it. */
export interface FlagTable {
  text(name: string, spec: { value: string; help: string; fallback?: string }): void;
  /** Undefined: not set; the default follows from other flags. */
  bool(name: string, help: string, fallback?: { value: boolean | undefined; shown?: string }): void;
  choice(name: string, spec: { values: readonly string[]; help: string; fallback?: string }): void;
  /** From 1. */
  count(name: string, spec: Default<number>): void;
  url(name: string, spec: Default<string>): void;
  typed<T>(name: string, spec: { value: string; parse: (value: string) => T } & Default<T>): void;
}

export function flagTable(command: Command): FlagTable {
  const add = (option: Option, name: string) => command.addOption(option.env(variableOf(name)));
  const typed: FlagTable['typed'] = (name, { value, parse, help, fallback, shown }) =>
    add(new Option(`--${name} <${value}>`, help).argParser(parse).default(fallback, shown), name);
  return {
    text: (name, { value, help, fallback }) => add(new Option(`--${name} <${value}>`, help).default(fallback), name),
    bool: (name, help, { value, shown } = { value: false }) =>
      add(new Option(`--${name} [bool]`, help).preset('true').argParser(parseBool).default(value, shown), name),
    choice: (name, { values, help, fallback }) => add(new Option(`--${name} <value>`, help).choices(values).default(fallback), name),
    count: (name, spec) => typed(name, { value: 'count', parse: parseCount, ...spec }),
    url: (name, spec) => typed(name, { value: 'url', parse: parseUrl, ...spec }),
    typed,
  };
}
