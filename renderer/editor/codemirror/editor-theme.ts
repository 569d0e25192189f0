// The look of every code editor, by the kit's tokens, so that light, dark and high contrast need no editor of their own.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const highlight = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--accent-text)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: tags.content, color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: 'var(--info)' },
  { tag: [tags.lineComment, tags.comment], color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.brace, tags.squareBracket, tags.meta], color: 'var(--muted)' },
  { tag: [tags.labelName, tags.typeName, tags.attributeValue], color: 'var(--waiting)' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

const surface = {
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--text-sm)', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6', overscrollBehavior: 'contain' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--faint)', border: 'none', paddingLeft: '4px' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '28px', padding: '0 6px 0 4px' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', color: 'var(--faint)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--neutral-soft)', border: 'none', color: 'var(--muted)', padding: '0 6px' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-soft)', color: 'var(--danger)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)', color: 'var(--on-mark)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--focus)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--selected)' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-value-number, .cm-value-word': { color: 'var(--info)' },
};

const boxes = {
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontFamily: 'var(--font-sans)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--border)' },
  '.cm-panel.cm-search': { padding: '6px 36px 6px 10px', fontSize: 'var(--text-sm)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--text-sm)', color: 'var(--muted)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--muted)', fontSize: '16px', padding: '0 8px', minWidth: '24px', minHeight: '24px' },
  '.cm-textfield': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius-md)',
    padding: '3px 8px',
    fontSize: 'var(--text-sm)',
  },
  '.cm-textfield:focus-visible': { outline: '2px solid var(--focus)', outlineOffset: '-1px' },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius-md)',
    padding: '3px 10px',
    fontSize: 'var(--text-sm)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: 'none',
    borderRadius: 'var(--radius-lg)',
    boxShadow: 'var(--shadow-overlay)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--text-sm)',
    maxHeight: '16rem',
    padding: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', borderRadius: 'var(--radius-sm)', lineHeight: '1.4' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--faint)', fontStyle: 'normal', marginLeft: '12px' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-tooltip.cm-completionInfo': { padding: '0', maxWidth: '22rem', fontFamily: 'var(--font-sans)', fontSize: 'var(--text-sm)' },
};

const marks = {
  '.cm-lintRange-error': underline('var(--danger)'),
  '.cm-lintRange-warning': underline('var(--warn)'),
  '.cm-lintRange-info': underline('var(--info)'),
  '.cm-lintRange-hint': underline('var(--faint)'),
  '.cm-lintRange-active': { backgroundColor: 'var(--danger-soft)' },
  '.cm-diagnostic': {
    padding: '6px 10px',
    fontFamily: 'var(--font-sans)',
    fontSize: 'var(--text-sm)',
    whiteSpace: 'pre-wrap',
    maxWidth: '30rem',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--danger)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-diagnostic-info': { borderLeft: '3px solid var(--info)' },
  '.cm-diagnosticAction': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
    borderRadius: 'var(--radius-sm)',
    padding: '2px 8px',
  },
  '.cm-docs': { padding: '8px 10px', maxWidth: '26rem', fontFamily: 'var(--font-sans)', fontSize: 'var(--text-sm)', lineHeight: '1.45' },
  '.cm-docs code': { fontFamily: 'var(--font-mono)', color: 'var(--accent-text)' },
  '.cm-docs p': { margin: '0' },
  '.cm-docs .cm-docs-facts': { color: 'var(--muted)', marginTop: '4px', overflowWrap: 'anywhere' },
  '.cm-docs a': { color: 'var(--accent-text)', textDecoration: 'underline' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 0 0 4px', display: 'flex', alignItems: 'center' },
  '.cm-lint-marker': { width: '8px', height: '8px', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'normal', backgroundColor: 'var(--danger)' },
  '.cm-lint-marker-warning': { content: 'normal', backgroundColor: 'var(--warn)' },
  '.cm-lint-marker-info': { content: 'normal', backgroundColor: 'var(--info)' },
};

/** Underline drawn by text decoration, so that its colour follows the tokens; the library draws an image of a fixed colour. */
function underline(colour: string) {
  return {
    backgroundImage: 'none',
    textDecoration: `underline wavy ${colour}`,
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
    paddingBottom: '0',
  };
}

export const editorLook: Extension = [EditorView.theme({ ...surface, ...boxes, ...marks }), syntaxHighlighting(highlight)];
