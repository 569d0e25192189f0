// The text of a new object and the button that creates it. A chunk of its own, since editors are heavy.
import { isObject } from '@svc/shared/json';
import type { Resource } from '@svc/shared/resource';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { objectAddress, type ObjectRef } from '../../../navigation/addresses.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { useGoOn } from '../../../navigation/own-location.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { api, client } from '../../../live/api.ts';
import { isUnanswered, problemOf, type Problem } from '../../../live/problem.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { bottomBar } from '../../../ui/layout/bottom-bar.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { NamespacePicker } from '../../../ui/input/NamespacePicker.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { toastDone } from '../../../ui/overlay/toast.ts';
import { DraftBanner } from '../../../editor/DraftBanner.tsx';
import { storedAs } from '../../../editor/stored-as.ts';
import { readObject } from '../../../yaml/serialise.ts';
import { useDraft } from '../../../editor/use-draft.ts';
import { YamlEditor, type YamlDiagnostic } from '../../../editor/YamlEditor.tsx';
import { FormAndYaml } from './FormAndYaml.tsx';
import { NewForm } from './NewForm.tsx';
import { aKind, kindWord } from '../object-text.ts';

export interface CreateEditorProps {
  readonly kind: KindSummary;
  readonly home: string;
  readonly initial: string;
}

interface CreateRefusal {
  readonly problem: Problem;
  readonly object: ObjectRef | undefined;
  readonly unsure: boolean;
}

const NONE: readonly YamlDiagnostic[] = [];

/** The namespace that the text itself names. */
function placeOf(body: Readonly<Record<string, unknown>>, kind: string, namespace: string): ObjectRef {
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const own = typeof metadata.namespace === 'string' && metadata.namespace !== '' ? metadata.namespace : namespace;
  return { kind, namespace: own, name: typeof metadata.name === 'string' ? metadata.name : '' };
}

function useCreate(kind: KindSummary, onCreated: () => void) {
  const { scope } = useScope();
  const { go } = useNavigation();
  const goOn = useGoOn();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<CreateRefusal>();
  /** Text of a request without an answer: it may have made the object. */
  const unanswered = useRef<string>(undefined);
  const create = async (text: string, namespace: string) => {
    const read = readObject(text);
    if ('errors' in read) {
      const [first] = read.errors;
      const message = first ? `Line ${first.line}: ${first.message}` : 'The text holds no object.';
      setRefused({ problem: { code: 'invalid', message, details: [], retryable: false }, object: undefined, unsure: false });
      return;
    }
    const object = placeOf(read.body, kind.kind, namespace);
    setBusy(true);
    const open = ({ name, namespace: home }: Resource['metadata']) => {
      onCreated();
      const href = objectAddress({ kind: kind.kind, namespace: home, name }, scope);
      const went = goOn(href);
      toastDone(`${name} was created`, went ? undefined : { label: 'Open', onSelect: () => go(href) });
    };
    try {
      const target = { kind: kind.kind, namespace: object.namespace };
      const { resource } = await client.resources.write.mutate({ ...target, mode: 'create', body: read.body });
      open(resource.metadata);
    } catch (error) {
      const unsure = isUnanswered(error);
      const before = unanswered.current === text;
      if (unsure) unanswered.current = text;
      const own = unsure || before ? await storedAs(text, object, { metadata: object }) : undefined;
      if (own) return open(own.metadata);
      setRefused({ problem: problemOf(error), object, unsure });
      setBusy(false);
    }
  };
  return { busy, refused, create, forget: () => setRefused(undefined) };
}

export function CreateEditor({ kind, home, initial }: CreateEditorProps) {
  const { reason } = useCanWrite();
  const [text, setText] = useState(initial);
  const [namespace, setNamespace] = useState(home);
  const { data: namespaces = [] } = useQuery(api.server.namespaces.queryOptions());
  const { busy, refused, create, forget } = useCreate(kind, () => draft.forget());
  const dirty = text !== initial && !busy;
  const draft = useDraft({ target: { kind: kind.kind, namespace: home }, text, baseText: '', dirty });
  const diagnostics = useMemo(() => refused?.problem.details.map(({ path, message }) => ({ path, message })) ?? NONE, [refused]);
  const submit = () => void create(text, namespace);
  useShortcut({
    id: 'create.submit',
    keys: 'mod+enter',
    label: `Create the ${kindWord(kind.kind, 1)}`,
    when: reason === undefined && !busy,
    run: submit,
  });
  // A refusal belongs to the text that was sent.
  const change = (next: string) => {
    forget();
    setText(next);
  };
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col border-t border-border">
      {refused && <Refusal kind={kind} refused={refused} onDismiss={forget} />}
      <DraftBanner
        draft={draft}
        onRestore={() => {
          change(draft.offered?.text ?? text);
          draft.restored();
        }}
      />
      <FormAndYaml
        form={<NewForm kind={kind} namespace={namespace} text={text} onChange={change} diagnostics={diagnostics} />}
        yaml={
          <YamlEditor
            value={text}
            onChange={change}
            kind={kind.kind}
            namespace={namespace}
            diagnostics={diagnostics}
            onSave={submit}
            label={`YAML of the new ${kindWord(kind.kind, 1)}`}
          />
        }
      />
      <footer ref={bottomBar} className="flex flex-wrap items-center justify-end gap-3 border-t border-border px-6 py-2.5 max-sm:px-4">
        <span role="status" className="min-w-0 flex-1 text-sm text-muted max-sm:not-empty:basis-full">
          {draft.kept && 'Kept as a draft on this machine'}
        </span>
        <NamespacePicker
          label="Default namespace"
          value={namespace}
          onChange={(next) => {
            forget();
            setNamespace(next);
          }}
          namespaces={namespaces}
        />
        <Button variant="primary" busy={busy} disabledReason={reason} onClick={submit}>
          Create
        </Button>
      </footer>
    </div>
  );
}

interface RefusalProps {
  readonly kind: KindSummary;
  readonly refused: CreateRefusal;
  readonly onDismiss: () => void;
}

function Refusal({ kind, refused: { problem, object, unsure }, onDismiss }: RefusalProps) {
  const { scope } = useScope();
  if (problem.code === 'conflict' && object) {
    return (
      <Banner
        tone="warn"
        onDismiss={onDismiss}
        action={
          <LinkButton size="sm" href={objectAddress(object, scope)}>
            Open it
          </LinkButton>
        }
      >
        There is {aKind(kind.kind)} {object.namespace}/{object.name} already, and creating never changes an existing object. Choose another
        name, or edit the existing one.
      </Banner>
    );
  }
  return (
    <Banner tone="danger" onDismiss={onDismiss}>
      {unsure ? 'Whether it was created is not known yet.' : 'Not created.'} {problem.message}
    </Banner>
  );
}
