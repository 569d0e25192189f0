// Adds a tool to an agent: one of the namespace, or a new one from a template with the few fields that it needs.
import { nameProblem } from '@svc/shared/resource';
import { ArrowLeft, Search, Wrench } from 'lucide-react';
import { useState } from 'react';
import { RISK_TONES } from '../../../graph/agent-summary.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { freeName, type DraftObject } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';
import { TOOL_TEMPLATES, type NewTool, type ToolTemplate } from './catalogue.ts';
import { useTools, type OfferedTool } from './use-tools.ts';
import { Form } from '../../../ui/input/Form.tsx';

export interface ToolPickerProps {
  readonly open: boolean;
  readonly agent: DraftObject;
  readonly design: Design;
  /** Opens with the form of this template. */
  readonly first: ToolTemplate | undefined;
  /** Tools that the agent has. */
  readonly has: readonly string[];
  readonly onPick: (tool: string) => void;
  readonly onMake: (name: string, tool: NewTool) => void;
  readonly onClose: () => void;
}

const SHOWN_MAX = 60;
const RISKS = ['low', 'medium', 'high', 'critical'].map((value) => ({ value, label: value }));

const ROW = 'flex min-h-9 w-full min-w-0 items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover';

function Choices({
  tools,
  has,
  onPick,
  onTemplate,
}: {
  tools: readonly OfferedTool[];
  has: readonly string[];
  onPick: (tool: string) => void;
  onTemplate: (template: ToolTemplate) => void;
}) {
  const [query, setQuery] = useState('');
  const fits = (...words: readonly string[]) => words.join(' ').toLowerCase().includes(query.trim().toLowerCase());
  const offered = tools.filter(({ name, description }) => !has.includes(name) && fits(name, description));
  const templates = TOOL_TEMPLATES.filter(({ title, hint }) => fits(title, hint, 'new'));
  return (
    <div className="flex flex-col gap-3">
      <Input
        icon={<Search />}
        aria-label="Search tools and templates"
        placeholder="Search tools and templates"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {offered.length > 0 && (
        <section aria-label="Tools of this namespace">
          <h3 className="px-2 pb-1 text-sm font-medium text-muted">Tools of this namespace</h3>
          <ul>
            {offered.slice(0, SHOWN_MAX).map(({ name, risk, description }) => (
              <li key={name}>
                <button type="button" className={ROW} onClick={() => onPick(name)}>
                  <Wrench aria-hidden className="size-4 shrink-0 text-faint" />
                  <span className="shrink-0 font-mono text-sm">{name}</span>
                  <span className="min-w-0 flex-1 truncate text-sm text-muted">{description}</span>
                  {risk !== '' && <Badge tone={RISK_TONES[risk] ?? 'neutral'}>{risk}</Badge>}
                </button>
              </li>
            ))}
          </ul>
          {offered.length > SHOWN_MAX && <p className="px-2 text-sm text-muted">and {offered.length - SHOWN_MAX} more; search to narrow</p>}
        </section>
      )}
      <section aria-label="New tool from a template">
        <h3 className="px-2 pb-1 text-sm font-medium text-muted">New tool</h3>
        <ul>
          {templates.map((template) => (
            <li key={template.id}>
              <button type="button" className={ROW} onClick={() => onTemplate(template)}>
                <span className="min-w-0 flex-1">
                  <span className="block font-medium">{template.title}</span>
                  <span className="block text-sm text-muted">{template.hint}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

interface FormProps {
  readonly template: ToolTemplate;
  readonly taken: readonly string[];
  readonly onMake: ToolPickerProps['onMake'];
  readonly onBack: () => void;
}

function TemplateForm({ template, taken, onMake, onBack }: FormProps) {
  const [name, setName] = useState(() => freeName(template.name, taken));
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});
  const [description, setDescription] = useState('');
  const [risk, setRisk] = useState(template.risk);
  const wrong = taken.includes(name) ? 'is taken' : nameProblem(name);
  const empty = template.fields.find(({ id, optional }) => optional !== true && (fields[id] ?? '').trim() === '');
  const gap = wrong !== undefined ? 'Correct the name' : empty && `Write the ${empty.label.toLowerCase()}`;
  const submit = () => {
    const trimmed = Object.fromEntries(Object.entries(fields).map(([id, value]) => [id, value.trim()]));
    if (gap === undefined) onMake(name, { template, fields: trimmed, description: description.trim(), risk });
  };
  return (
    <Form onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-sm text-muted">{template.hint}</p>
      {template.fields.map(({ id, label, placeholder, hint, optional }, index) => (
        <Field key={id} label={label} required={optional !== true} {...(hint !== undefined && { hint })}>
          <Input
            mono
            {...(index === 0 && { autoFocus: true })}
            placeholder={placeholder}
            value={fields[id] ?? ''}
            onChange={(event) => setFields((before) => ({ ...before, [id]: event.target.value }))}
          />
        </Field>
      ))}
      <Field label="Description" hint="The model reads it to decide when to call the tool.">
        <Textarea rows={2} value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Name" required error={wrong}>
          <Input mono value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="Risk of a wrong call">
          <Select value={risk} options={RISKS} onChange={setRisk} />
        </Field>
      </div>
      <div className="flex justify-end gap-2 border-t border-border pt-3">
        <Button icon={<ArrowLeft />} onClick={onBack} className="mr-auto">
          Back
        </Button>
        <Button type="submit" variant="primary" disabledReason={gap}>
          Add this tool
        </Button>
      </div>
    </Form>
  );
}

function PickerBody(props: ToolPickerProps) {
  const { agent, design, first, has, onPick, onMake } = props;
  const [template, setTemplate] = useState(first);
  const tools = useTools(agent.namespace, design);
  if (!template) return <Choices tools={tools} has={has} onPick={onPick} onTemplate={setTemplate} />;
  return <TemplateForm template={template} taken={tools.map(({ name }) => name)} onMake={onMake} onBack={() => setTemplate(undefined)} />;
}

export function ToolPicker(props: ToolPickerProps) {
  return (
    <Dialog open={props.open} onClose={props.onClose} title={`Add a tool to ${props.agent.name}`} size="md">
      {props.open && <PickerBody {...props} />}
    </Dialog>
  );
}
