// Completion of YAML by the kind's schema and the names of live objects, in the form of CodeMirror.
import {
  autocompletion,
  closeCompletion,
  selectedCompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { Prec, type Extension } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';
import { cursorContext, type CursorContext } from '../../yaml/cursor-context.ts';
import { offerAt, scalarText, type Offer, type Suggestion } from '../../yaml/suggestions.ts';
import { docsBox } from './docs-box.ts';
import {
  documentSchemaAt,
  keysAt,
  localNames,
  NAMES_MAX,
  yamlSurroundings,
  type NamedObject,
  type YamlSurroundings,
} from './yaml-context.ts';
import type { KindDefinitions } from '../../kinds/definitions.ts';

/** Rank among equal matches, highest first. */
const RANKS = { required: 2, field: 1, value: 1, reference: 0, snippet: 0 } as const;

type Apply = Extract<Completion['apply'], (...call: never) => unknown>;

function inserted(insert: string, asksOn: boolean): Apply {
  return (...[view, , from, to]: Parameters<Apply>) => {
    // A key that has its colon already keeps it.
    const rest = view.state.sliceDoc(to, view.state.doc.lineAt(to).to);
    const text = /^\s*:/.test(rest) ? insert.replace(/:[\s\S]*$/, '') : insert;
    view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent: 'input.complete' });
    if (asksOn && text === insert) startCompletion(view);
  };
}

function completionOf({ label, type, detail, about, insert, asksOn }: Suggestion, order: number): Completion {
  return {
    label,
    type: type === 'field' ? 'property' : type === 'value' ? 'enum' : type === 'reference' ? 'variable' : 'text',
    ...(detail !== '' && { detail }),
    ...(about && { info: () => docsBox(label, about) }),
    boost: (detail === 'required' ? RANKS.required : RANKS[type]) - order / 1000,
    apply: inserted(insert, asksOn),
  };
}

function objectCompletion(object: NamedObject, around: YamlSurroundings, before: string): Completion {
  const own = object.namespace === around.namespace;
  const ref = own ? object.name : `${object.namespace}/${object.name}`;
  return {
    label: ref,
    type: 'variable',
    detail: object.phase === undefined || object.phase === 'Pending' ? '' : object.phase,
    boost: own ? 0 : -1,
    apply: inserted(before + scalarText(ref), false),
  };
}

interface Search {
  readonly around: YamlSurroundings;
  readonly offer: Offer;
  readonly word: string;
  readonly completion: CompletionContext;
}

async function liveNames({ around, offer, word, completion }: Search): Promise<Completion[]> {
  const stop = new AbortController();
  completion.addEventListener('abort', () => stop.abort());
  try {
    if (offer.namespaces) {
      const namespaces = await around.namespaces();
      return namespaces.map((name) => ({ label: name, type: 'namespace', apply: inserted(scalarText(name), false) }));
    }
    if (!offer.references) return [];
    const { kind, before } = offer.references;
    const found = await around.namesOf(kind, word.replace(/^["']/, ''), stop.signal);
    return found.map((object) => objectCompletion(object, around, before));
  } catch {
    // Without the server the names are missing; suggestions of the schema still help.
    return [];
  }
}

function request(completion: CompletionContext, context: CursorContext, known: KindDefinitions) {
  const at = documentSchemaAt(completion.state, context.from, known);
  if (!at) return undefined;
  const tight = context.from > 0 && completion.state.sliceDoc(context.from - 1, context.from) === ':';
  return { schema: at.schema, context, present: keysAt(at.document, context.path), local: localNames(at.document, context.path), tight };
}

async function completeYaml(completion: CompletionContext): Promise<CompletionResult | null> {
  const around = completion.state.facet(yamlSurroundings);
  const context = cursorContext(completion.state.doc.toString(), completion.pos);
  if (!around || !context || (!completion.explicit && context.word === '' && context.position === 'key' && context.column === 0))
    return null;
  // A request during the load of the definitions waits for them.
  const known = around.known ?? (await around.load().catch(() => undefined));
  const ready = known && request(completion, context, known);
  const offer = ready && offerAt(ready);
  if (!offer) return null;
  const fixed = offer.suggestions.map(completionOf);
  const names = await liveNames({ around, offer, word: context.word, completion });
  const seen = new Set(fixed.map((each) => each.label));
  const options = [...fixed, ...names.filter((each) => !seen.has(each.label))];
  if (completion.aborted || options.length === 0) return null;
  // A longer word may match names that the answer for the shorter one left out.
  const again = offer.references !== undefined && names.length >= NAMES_MAX;
  return { from: offer.from, options, ...(!again && { validFor: /^[^\s,\]}:]*$/ }) };
}

/** A complete value needs no accepting: Enter is a line break then. */
function breakAfterWhole(view: EditorView): boolean {
  const selected = selectedCompletion(view.state);
  const { head } = view.state.selection.main;
  const whole = selected && selected.type !== 'property' && view.state.sliceDoc(head - selected.label.length, head) === selected.label;
  if (whole) closeCompletion(view);
  return false;
}

export const yamlCompletion: Extension = [
  Prec.highest(keymap.of([{ key: 'Enter', run: breakAfterWhole }])),
  autocompletion({ override: [completeYaml], icons: false }),
  keymap.of([{ key: 'Mod-Space', run: startCompletion }]),
];
