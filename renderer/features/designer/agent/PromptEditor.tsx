// The prompt of an agent: in the inspector, and in a window of its own beside what the agent receives, its changes and a trial.
import { Maximize2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { specOf } from '../../../kinds/read.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { draftOf, specOfDraft, type DraftObject } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { PromptDialog } from './PromptDialog.tsx';
import { tokensText } from './prompt-tokens.ts';
import { insertPart, ReceivedParts } from './ReceivedParts.tsx';
import type { Draftable } from './use-draftable.ts';
import { useLastInput } from './use-last-run.ts';
import { focusRendered } from '../../../ui/focus-rendered.ts';

export interface PromptEditorProps {
  readonly agent: DraftObject;
  readonly draftable: Draftable;
  readonly design: Design;
  /** Empty for a new system. */
  readonly system: string;
  /** Agents whose messages this one receives. */
  readonly sources: readonly string[];
  readonly readOnly: boolean;
}

const PROMPT = ['spec', 'prompt'];
/** Marks the field for Enter on the canvas. */
const PROMPT_FIELD = 'data-agent-prompt';

/** Focuses the prompt in this part of the page, also of an agent that is still loading. */
export function focusPrompt(part: HTMLElement | null): void {
  const field = () => part?.querySelector<HTMLElement>(`[${PROMPT_FIELD}]`);
  if (field()) field()?.focus();
  else focusRendered(field);
}

function promptOf(draft: DraftObject): string {
  return specOf('Agent', { spec: specOfDraft(draft) }).prompt ?? '';
}

export function PromptEditor({ agent, draftable, design, system, sources, readOnly }: PromptEditorProps) {
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const prompt = promptOf(agent);
  const stored = agent.base && promptOf(draftOf(agent.base));
  const last = useLastInput(agent.namespace, system);
  const set = (value: string) =>
    draftable.set(PROMPT, value, { label: `Write the prompt of ${agent.name}`, group: `prompt ${agent.name}` });
  return (
    <div className="flex flex-col gap-1.5">
      <Field
        label="Prompt"
        aside={
          <span className="flex items-center gap-2">
            {stored !== undefined && stored !== prompt && <span className="text-accent-text">changed</span>}
            <span title="An estimate: four characters are about one token">{tokensText(prompt)}</span>
          </span>
        }
      >
        <Textarea
          ref={field}
          {...{ [PROMPT_FIELD]: '' }}
          rows={10}
          readOnly={readOnly}
          placeholder="What this agent does, how, and what it answers with."
          className="min-h-44 leading-relaxed"
          value={prompt}
          onChange={(event) => set(event.target.value)}
        />
      </Field>
      <ReceivedParts
        input={last.input}
        sources={sources}
        {...(!readOnly && { onInsert: (part: string) => insertPart(field.current, part, set) })}
      />
      <Button size="sm" icon={<Maximize2 />} className="self-start" onClick={() => setOpen(true)}>
        {readOnly ? 'Read in full' : 'Edit and try'}
      </Button>
      <PromptDialog
        open={open}
        agent={agent}
        prompt={prompt}
        stored={stored}
        design={design}
        last={last}
        sources={sources}
        readOnly={readOnly}
        onChange={set}
        onClose={() => setOpen(false)}
      />
    </div>
  );
}
