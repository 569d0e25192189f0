// Completion requested while the definitions of the kinds are loading.
import { currentCompletions, startCompletion } from '@codemirror/autocomplete';
import { Compartment } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { yaml } from '@codemirror/lang-yaml';
import { waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { loadDefinitions } from '../../kinds/definitions.ts';
import { yamlCompletion } from './yaml-completion.ts';
import { yamlSurroundings, type YamlSurroundings } from './yaml-context.ts';

test('suggestions requested before the definitions are loaded appear once they are', async () => {
  const known = await loadDefinitions();
  let finish: (loaded: typeof known) => void = () => undefined;
  const loading = new Promise<typeof known>((resolve) => (finish = resolve));
  const load = vi.fn(() => loading);
  const around: YamlSurroundings = {
    known: undefined,
    load,
    namespace: 'ops',
    kind: 'Agent',
    namesOf: () => Promise.resolve([]),
    namespaces: () => Promise.resolve([]),
    addressOf: () => '',
  };
  const settings = new Compartment();
  const extensions = (now: YamlSurroundings) => [yaml(), yamlCompletion, yamlSurroundings.of(now)];
  const doc = 'kind: Agent\nspec:\n  mod';
  const view = new EditorView({ doc, selection: { anchor: doc.length }, extensions: settings.of(extensions(around)) });
  startCompletion(view);
  await waitFor(() => expect(load).toHaveBeenCalled());
  finish(known);
  view.dispatch({ effects: settings.reconfigure(extensions({ ...around, known })) });
  await waitFor(() => expect(currentCompletions(view.state).map(({ label }) => label)).toContain('model_ref'));
  view.destroy();
});
