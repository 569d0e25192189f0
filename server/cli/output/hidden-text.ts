// Control and invisible characters of a text, and their visible form.

/** Control characters other than line breaks and tabs, line separators, and characters that no font draws. */
const UNSEEN = String.raw`[^\P{Cc}\n\t]|[\u2028\u2029\ufff9-\ufffb]|(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}`;
/** Joiners and variation selectors are part of words in some scripts, and of emoji; anywhere else they only hide. */
const JOINER = String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}])(?:\u200c|\u200d)`;
const VARIATION = String.raw`(?<![\p{Emoji}\p{So}\p{Sm}\p{Lo}])[\ufe00-\ufe0f]`;

const HIDDEN = new RegExp(`${UNSEEN}|${JOINER}|${VARIATION}`, 'gu');

const unitEscape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** The text with every hidden character written out as JSON escapes it; inside a JSON string the value stays equal. */
export function escapeHidden(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (character) =>
    character
      .split('')
      .map((unit) => unitEscape(unit.charCodeAt(0)))
      .join(''),
  );
}

export const holdsHidden = (text: string): boolean => text.search(HIDDEN) >= 0;

/** As `escapeHidden`, in the notation of double-quoted YAML. */
export function escapeHiddenYaml(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : unitEscape(code);
  });
}
