// The values flags take, each with the sentence that refuses what does not fit. Pure; knows no flag.
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '@svc/shared/duration';
import { imageReferenceProblem } from '@svc/shared/image-reference';
import { nameProblem } from '@svc/shared/resource';

/** Where something listens; port 0 picks a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const fail = (message: string): never => {
  throw new InvalidArgumentError(message);
};

export function parseAddr(value: string): ListenAddress {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return fail('It must be host:port, such as 127.0.0.1:8080.');
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

export const parseBool = (value: string): boolean => {
  if (/^(true|1|yes|on)$/i.test(value)) return true;
  return /^(false|0|no|off)$/i.test(value) ? false : fail('It must be true or false.');
};

export const parseCount = (value: string): number =>
  /^[1-9]\d{0,8}$/.test(value) ? Number(value) : fail('It must be a whole number of at least 1.');

export const parseMs = (value: string): number => {
  const ms = parseDuration(value);
  return ms !== undefined && ms > 0 ? ms : fail('It must be a duration above zero, such as 30s or 2m.');
};

export const parseList = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const isHttpUrl = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

export const parseUrl = (value: string): string =>
  isHttpUrl(value) ? value.replace(/\/+$/, '') : fail('It must be an http or https URL.');

const isOrigin = (value: string): boolean => value === '*' || (isHttpUrl(value) && new URL(value).origin === value.toLowerCase());

export const parseOrigins = (value: string): string[] => {
  const origins = parseList(value);
  return origins.every(isOrigin) ? origins : fail('It must be origins such as https://console.example, or *.');
};

export const parsePath = (value: string): string => (value.trim() === '' ? fail('It must be a path.') : value);

/** The name of a Worker object; empty is as if it were not given. */
export const parseWorkerId = (value: string): string | undefined => {
  const id = value.trim();
  const problem = id === '' ? undefined : nameProblem(id);
  return problem === undefined ? id || undefined : fail(`It ${problem}.`);
};

/** A container image; empty is as if it were not given. */
export const parseImage = (value: string): string | undefined => {
  const image = value.trim();
  const problem = image === '' ? undefined : imageReferenceProblem(image);
  return problem === undefined ? image || undefined : fail(`It ${problem}.`);
};

/** Judged beside the flags and not by a parser of theirs: a refused value is quoted, and this one may hold a password. The rest of it the store judges. */
export const isDatabaseUrl = (value: string): boolean => /^postgres(ql)?:\/\/\S*$/i.test(value);

/** A text with the user and password of every URL in it blotted out. */
export const withoutCredentials = (text: string): string =>
  text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s']*@/gi, '$1***@').replace(/(password=)[^\s'&]*/gi, '$1***');
