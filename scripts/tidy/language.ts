// Finds comments and test titles that break the language rules of CONTRIBUTING.md.
import { files, read } from './tree.ts';

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** First words that replace the noun by a clause, or continue a sentence from elsewhere. */
const CLAUSE = /^(what|whatever|who|whoever|whom|whose|that|of|and|but|they)\b/i;
/** Code does not speak, hear or obey, and these paraphrases have a standard term. */
export const BANNED =
  /\b(told|tells|anew|in hand|is there no more|are there no more|no longer there|whoever|whichever|wish|wishes|wished|obeys?|obeyed|stumbles?|stumbled|hears?|heard|nobody knows|(did|does|do) not come|came to nothing|goes on|go on|went on|gives? way|untakeable|befalls?|lest|nought|thereof|patien(t|ce|tly)|gentle|none of (ours|theirs)|into the mouth|in the hands of|in one caller's hands|asked (for|about|of)|looked at|in sight|(takes?|taken|took) (it |them )?back|what (comes|came|went|there (is|was))|made again|mend(s|ed|ing)?|under way|knows (no|neither|nothing|what)|tried again|another try|any more|of today|(that|which|what) (is|are) none|half of a (character|surrogate)|said|saying|says? so|lately|for want of|as it stands|st(ands?|ood) in|a yes|(gives?|given|gave) back)\b/i;

export const breaksRules = (text: string): boolean => CLAUSE.test(text) || BANNED.test(text);

const SOURCE = /\.(tsx?|mjs)$/;
/** The rule itself names the words it bans. */
const EXEMPT = /^scripts\/tidy\/language/;
const TITLE = /(?:^|[\s.])(?:test|it|describe)(?:\.\w+)*(?:\([^'"`]*\))?\(\s*(['"`])(.+?)\1|^\s*\]\)\(\s*(['"`])(.+?)\3/;
const LINE_COMMENT = /^(?:[^'"`]|'[^']*'|"[^"]*"|`[^`]*`)*?(?:^|\s)\/\/ (.*)$/;

/** Title or comment text of one line, with whether it begins a comment. `before` is the trimmed line above. */
function proseOf(line: string, before: string): { text: string; begins: boolean } | undefined {
  const trimmed = line.trim();
  if (trimmed.startsWith('/**')) return { text: trimmed.slice(3).replace('*/', '').trim(), begins: true };
  if (trimmed.startsWith('* ')) return { text: trimmed.slice(2), begins: before === '/**' };
  const title = TITLE.exec(line);
  if (title !== null) return { text: title[2] ?? title[4] ?? '', begins: true };
  const comment = LINE_COMMENT.exec(line);
  return comment === null ? undefined : { text: comment[1] ?? '', begins: !before.startsWith('//') || !trimmed.startsWith('//') };
}

export function findingsIn(path: string, content: string): Finding[] {
  const lines = content.split('\n');
  return lines.flatMap((line, index) => {
    const prose = proseOf(line, lines[index - 1]?.trim() ?? '');
    if (prose === undefined) return [];
    const breaks = prose.begins ? breaksRules(prose.text) : BANNED.test(prose.text);
    return breaks ? [{ path, line: index + 1, text: prose.text }] : [];
  });
}

export const allFindings = (): Finding[] =>
  files(SOURCE)
    .filter((path) => path.includes('/') && !EXEMPT.test(path))
    .flatMap((path) => findingsIn(path, read(path)));
