// Takes secret values out of text that came from outside: an answer may repeat the credentials it was sent.

const MASK = '***';
/** Shorter values would match by chance and wreck the text; they are no secrets worth the name. */
const SECRET_MIN_CHARS = 4;

/** The text with every secret replaced, in its plain, JSON-escaped, URL-encoded and base64 forms. */
export function redact(text: string, secrets: readonly string[]): string {
  return secretForms(secrets).reduce((rest, form) => rest.replaceAll(form, MASK), text);
}

/** How secrets may be written in a text, the longest first. */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = secrets.filter((secret) => secret.length >= SECRET_MIN_CHARS).flatMap(writings);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

function writings(secret: string): string[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64');
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64, base64.replace(/=+$/, '')];
}
