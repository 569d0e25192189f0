// Whether a person reviews an output before its handover, and how.
import { isObject } from '@svc/shared/json';
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Switch } from '../../../ui/input/Switch.tsx';
import { setReview, type ReviewSettings } from '../document/commands.ts';
import type { Design } from '../document/use-design.ts';

export interface ReviewEditorProps {
  /** The agent whose output it is; undefined for the final output. */
  readonly node?: string;
  readonly design: Design;
  readonly readOnly: boolean;
}

function reviewOf(draft: unknown, node: string | undefined): ReviewSettings | undefined {
  if (!isObject(draft)) return undefined;
  const graph = isObject(draft['graph']) ? draft['graph'] : {};
  const holder = node === undefined ? draft['completion_review'] : isObject(graph[node]) ? graph[node]['review'] : undefined;
  return isObject(holder) ? (holder as unknown as ReviewSettings) : undefined;
}

export function ReviewEditor({ node, design, readOnly }: ReviewEditorProps) {
  const review = reviewOf(design.value['spec'], node);
  const what = node ?? 'the final output';
  const set = (next: ReviewSettings | undefined, group?: string) =>
    design.run(`Change the review of ${what}`, (text) => setReview(text, node, next), group);
  const field = (key: 'checkpoint_id' | 'reason' | 'ttl', value: string) =>
    review && set({ ...review, [key]: value }, `review ${what} ${key}`);
  return (
    <section aria-label="Review" className="flex flex-col gap-3 rounded-lg border border-border p-3">
      <Switch
        checked={review !== undefined}
        disabled={readOnly}
        label={node === undefined ? 'Require review of the final output' : 'Require review of the output'}
        onChange={(on) => set(on ? { checkpoint_id: node === undefined ? 'completion' : `${node.replace('/', '-')}-review` } : undefined)}
      />
      {review && (
        <>
          <Field label="Name of the review point" hint="Unique in the system. Do not change it later">
            <Input
              mono
              disabled={readOnly}
              value={review.checkpoint_id ?? ''}
              onChange={(event) => field('checkpoint_id', event.target.value)}
            />
          </Field>
          <Field label="Reason for the review">
            <Input disabled={readOnly} value={review.reason ?? ''} onChange={(event) => field('reason', event.target.value)} />
          </Field>
          <Field label="Time to decide" hint="10m when empty">
            <Input
              mono
              placeholder="10m"
              disabled={readOnly}
              value={review.ttl ?? ''}
              onChange={(event) => field('ttl', event.target.value)}
            />
          </Field>
          <Switch
            checked={review.allow_request_changes ?? true}
            disabled={readOnly}
            label="The reviewer may request changes"
            onChange={(on) => set({ ...review, allow_request_changes: on })}
          />
        </>
      )}
    </section>
  );
}
