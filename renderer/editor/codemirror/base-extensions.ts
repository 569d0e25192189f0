// Extensions shared by every code editor of the console: history, search, folding, brackets, keys, the page's nonce. Independent of any
// language.
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { cspNonce } from '../../ui/csp-nonce.ts';
import { editorLook } from './editor-theme.ts';
import { typedLines } from './typed-lines.ts';

/** Characters that change how text reads without being visible, beside those that the library shows by itself. */
const HIDDEN = /\u200c|\u200d|[\u202a-\u202c\u2060-\u2064\u2068]/g;

const nonce = cspNonce === '' ? [] : EditorView.cspNonce.of(cspNonce);

/** For editable text. */
export const writing: Extension = [
  typedLines,
  history(),
  dropCursor(),
  indentOnInput(),
  closeBrackets(),
  indentUnit.of('  '),
  EditorState.allowMultipleSelections.of(true),
  rectangularSelection(),
  crosshairCursor(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  keymap.of([...closeBracketsKeymap, ...historyKeymap, indentWithTab]),
];

/** For all text. */
export const showing: Extension = [
  nonce,
  editorLook,
  lineNumbers(),
  foldGutter(),
  highlightSpecialChars({ addSpecialChars: HIDDEN }),
  drawSelection(),
  bracketMatching(),
  search({ top: true }),
  highlightSelectionMatches(),
  keymap.of([...defaultKeymap, ...searchKeymap, ...foldKeymap]),
];
