// Colours numbers, true, false and null among plain YAML scalars, which the grammar treats as text. Visible lines only.
import { syntaxTree } from '@codemirror/language';
import { RangeSetBuilder, type Extension } from '@codemirror/state';
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view';

const NUMBER = /^[-+]?(?:\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?|0x[\da-f]+|0o[0-7]+|\.\d+|\.inf|\.nan)$/i;
const WORD = /^(?:true|false|null|~)$/i;
const LENGTH_MAX = 40;

const number = Decoration.mark({ class: 'cm-value-number' });
const word = Decoration.mark({ class: 'cm-value-word' });

function marks(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        if (node.name !== 'Literal' || node.node.parent?.name === 'Key' || node.to - node.from > LENGTH_MAX) return;
        const text = view.state.sliceDoc(node.from, node.to);
        if (NUMBER.test(text)) builder.add(node.from, node.to, number);
        else if (WORD.test(text)) builder.add(node.from, node.to, word);
      },
    });
  }
  return builder.finish();
}

export const plainValues: Extension = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = marks(view);
    }
    update(update: ViewUpdate): void {
      const moved = update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state);
      if (moved) this.decorations = marks(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
