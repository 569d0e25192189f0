// Takes secret values out of text that came from outside: an answer may repeat the credentials it was sent.
import { isObject } from '@svc/shared/json';

const MASK = '***';
/** Shorter values would match by chance and wreck the text; they are too weak to be secrets. */
const SECRET_MIN_CHARS = 4;
const BASE64_INNER_MIN_CHARS = 8;
/** Lines of a secret that count as secrets of their own, such as those of a key: shorter ones are also lines of ordinary texts. */
const LINE_MIN_CHARS = 16;
const LINES_MAX = 200;

/** The text with every secret replaced, in its plain, JSON-escaped, URL-encoded and base64 forms, within longer encoded texts too, and its long lines. */
export function redact(text: string, secrets: readonly string[]): string {
  return masked(text, secretForms(secrets));
}

const formsWithLines = new WeakMap<ReadonlySet<string>, { readonly size: number; readonly forms: readonly string[] }>();

/**
 * As `redact`, for the standard error of programs: all lines of a secret are masked, short ones too. The forms are worked out once for the set, and again
 * when it has grown.
 */
export function redactLines(text: string, secrets: ReadonlySet<string>): string {
  let known = formsWithLines.get(secrets);
  if (known?.size !== secrets.size) {
    known = {
      size: secrets.size,
      forms: longestFirst([...secretForms([...secrets]), ...[...secrets].flatMap((secret) => linesOf(secret, SECRET_MIN_CHARS))]),
    };
    formsWithLines.set(secrets, known);
  }
  return masked(text, known.forms);
}

const masked = (text: string, forms: readonly string[]): string => forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);

const linesOf = (secret: string, minChars: number): string[] =>
  secret
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= minChars);

/** The JSON value with every secret replaced in its texts, names of fields included. */
export function redactJson<Value>(value: Value, secrets: readonly string[]): Value {
  const forms = secretForms(secrets);
  const clean = (text: string) => masked(text, forms);
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return clean(node);
    if (Array.isArray(node)) return node.map(walk);
    return isObject(node) ? Object.fromEntries(Object.entries(node).map(([key, inner]) => [clean(key), walk(inner)])) : node;
  };
  return forms.length === 0 ? value : (walk(value) as Value);
}

/** How secrets may be written in a text, the longest first. */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = secrets.filter((secret) => secret.length >= SECRET_MIN_CHARS).flatMap(writings);
  return longestFirst(forms);
}

function longestFirst(forms: readonly string[]): string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

function writings(secret: string): string[] {
  const lines = linesOf(secret, LINE_MIN_CHARS).slice(0, LINES_MAX);
  return [...jsonForms(secret), ...urlForms(secret), ...base64Forms(secret), ...lines.flatMap((line) => [line, inJson(line)])];
}

/** Forms of a secret: unchanged, and escaped in JSON (once, in nested JSON, as ASCII only, with `/` escaped). */
function jsonForms(secret: string): string[] {
  const once = inJson(secret);
  const ascii = once.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [secret, once, inJson(once), ascii, once.replaceAll('/', '\\/')];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** In a path, in a form, and with the lower-case digits that some write. */
function urlForms(secret: string): string[] {
  const forms = [encodeURIComponent(Buffer.from(secret).toString()), new URLSearchParams({ k: secret }).toString().slice(2)];
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())]);
}

/** By itself, and within a longer text (`Bearer …`, `user:…`), where it begins at one of three places of a group. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const within = [0, 1, 2].map((shift) => innerBase64(bytes, shift)).filter((form) => form.length >= BASE64_INNER_MIN_CHARS);
  const forms = [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, ''), ...within];
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** The characters that the secret alone decides, when `shift` bytes of its first group are another text's. */
function innerBase64(secret: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), secret]).toString('base64');
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + secret.length) * 8) / 6));
}
