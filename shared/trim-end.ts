// Removal of a character from the end of a text, in linear time: a regular expression takes longer by the square of a run of it elsewhere.

/** `character` is one UTF-16 code unit. */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
