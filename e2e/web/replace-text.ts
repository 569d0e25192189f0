// Replaces the whole text of an editor by its own commands, as a person does. Playwright's `fill` selects in the document, and an editor that
// has just got the focus puts its own selection there: the new text came in front of the old one.
import type { Locator } from '@playwright/test';

export async function replaceText(editor: Locator, text: string): Promise<void> {
  await editor.press('Control+a');
  await editor.page().keyboard.insertText(text);
}
