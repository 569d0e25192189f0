// The last review before a system and its drafts are written: every object with its action, and the differences of the chosen one.
import { useState } from 'react';
import { DiffView } from '../../../editor/DiffView.tsx';
import { MergeView } from '../../../editor/MergeView.tsx';
import { isWriteOnly } from '../../../kinds/kind-table.ts';
import { KindIcon } from '../../../kinds/KindIcon.tsx';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { objectYaml } from '../../../yaml/serialise.ts';
import { draftId, type DraftObject } from '../document/drafts.ts';
import { shownText, storedText } from './system-apply.ts';
import type { ConcurrentChange, ApplyReview, SystemApply } from './use-system-apply.ts';

export interface SystemApplyDialogProps {
  readonly systemApply: SystemApply;
  readonly disabledReason: string | undefined;
}

const ACTIONS = {
  created: ['ok', 'New'],
  configured: ['info', 'Changed'],
  unchanged: ['neutral', 'Unchanged'],
  pruned: ['danger', 'Deleted'],
} as const;

function ObjectLine({
  object,
  reviewed,
  chosen,
  onChoose,
}: {
  object: DraftObject;
  reviewed: ApplyReview;
  chosen: boolean;
  onChoose: () => void;
}) {
  const id = draftId(object);
  const result = reviewed.results.get(id);
  const wrong = reviewed.problems.filter((problem) => problem.id === id).length;
  const overtaken = reviewed.overtaken.find((each) => draftId(each.object) === id);
  const [tone, words] = ACTIONS[result?.action ?? (object.base ? 'configured' : 'created')];
  return (
    <li>
      <button
        type="button"
        aria-current={chosen || undefined}
        onClick={onChoose}
        className={cn(
          'flex min-h-9 w-full min-w-0 items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover',
          chosen && 'bg-accent-soft',
        )}
      >
        <KindIcon kind={object.kind} className="size-4 shrink-0 text-faint" />
        <span className="min-w-0 flex-1 truncate">{object.name}</span>
        {wrong > 0 ? (
          <Badge tone="danger">{wrong === 1 ? '1 problem' : `${wrong} problems`}</Badge>
        ) : overtaken ? (
          <Badge tone="warn">{changeByOthers(overtaken)}</Badge>
        ) : (
          <Badge tone={tone}>{words}</Badge>
        )}
      </button>
    </li>
  );
}

function changeByOthers({ object, theirs }: ConcurrentChange): string {
  if (!theirs) return 'Deleted meanwhile';
  return object.base ? 'Changed meanwhile' : 'Created meanwhile';
}

function Notes({ object, reviewed }: { readonly object: DraftObject; readonly reviewed: ApplyReview }) {
  const id = draftId(object);
  const result = reviewed.results.get(id);
  return (
    <>
      {reviewed.problems
        .filter((problem) => problem.id === id)
        .map(({ message }) => (
          <Banner key={message} tone="danger" className="rounded-md">
            <UntrustedText text={message} />
          </Banner>
        ))}
      {result?.missing?.map(({ kind, namespace, name, path }) => (
        <Banner key={`${kind} ${namespace}/${name} ${path}`} tone="warn" className="rounded-md">
          {kind} {name} does not exist; {path} refers to it.
        </Banner>
      ))}
      {result?.warnings?.map((warning) => (
        <Banner key={warning} tone="info" className="rounded-md">
          <UntrustedText text={warning} />
        </Banner>
      ))}
    </>
  );
}

function Meet({ overtaken, onMerged }: { readonly overtaken: ConcurrentChange; readonly onMerged: (text: string) => void }) {
  const { object, theirs } = overtaken;
  if (!theirs)
    return (
      <Banner
        tone="warn"
        className="rounded-md"
        action={
          <Button size="sm" onClick={() => onMerged(object.text)}>
            Create it again
          </Button>
        }
      >
        {object.kind} {object.name} was deleted meanwhile.
      </Banner>
    );
  // A merge would show the values.
  if (isWriteOnly(object.kind))
    return (
      <Banner tone="warn" className="rounded-md">
        There is already a {object.kind} {object.name}, and its values are hidden. Undo the new one, and create it under another name.
      </Banner>
    );
  return <MergeView base={storedText(object)} mine={object.text} theirs={objectYaml(theirs)} onMerged={onMerged} />;
}

/** Object that a review shows first. */
const firstOf = ({ overtaken: [conflict], problems }: ApplyReview) => (conflict ? draftId(conflict.object) : problems[0]?.id);

interface ReviewBodyProps {
  readonly reviewed: ApplyReview;
  readonly onMerged: SystemApply['merge'];
  readonly onRetry: () => void;
}

function ReviewBody({ reviewed, onMerged, onRetry }: ReviewBodyProps) {
  const { objects, overtaken, failure, unsure } = reviewed;
  const [chosen, setChosen] = useState(() => firstOf(reviewed));
  const object = objects.find((each) => draftId(each) === chosen) ?? objects[0];
  const failed = failure && (
    <ErrorCard title={unsure ? 'Whether it was applied is not known yet' : 'Not applied'} error={failure} onRetry={onRetry} />
  );
  if (!object) return failed;
  const conflict = overtaken.find((each) => draftId(each.object) === draftId(object));
  return (
    <div className="grid grid-cols-[minmax(12rem,16rem)_1fr] gap-4 max-md:grid-cols-1">
      <ul aria-label="Objects" className="flex max-h-[55vh] flex-col gap-0.5 overflow-auto">
        {objects.map((each) => (
          <ObjectLine
            key={draftId(each)}
            object={each}
            reviewed={reviewed}
            chosen={each === object}
            onChoose={() => setChosen(draftId(each))}
          />
        ))}
      </ul>
      <div className="flex min-w-0 flex-col gap-2">
        {failed}
        <Notes object={object} reviewed={reviewed} />
        {conflict ? (
          <Meet key={chosen} overtaken={conflict} onMerged={(text) => onMerged(conflict, text)} />
        ) : (
          <DiffView
            key={chosen}
            label={`${object.kind} ${object.name}, stored now and after this`}
            before={storedText(object)}
            after={shownText(object)}
            beforeLabel={object.base ? 'Stored now' : 'Nothing yet'}
            afterLabel="After this"
            initialLayout="unified"
            className="h-[min(50vh,30rem)]"
          />
        )}
      </div>
    </div>
  );
}

export function SystemApplyDialog({ systemApply, disabledReason }: SystemApplyDialogProps) {
  const { state, review, back, write, merge } = systemApply;
  if (!('reviewed' in state)) return null;
  const { reviewed } = state;
  const writing = state.step === 'writing';
  const blocked = reviewed.overtaken.length > 0 ? 'Others changed an object: merge the changes first' : undefined;
  const wrong = reviewed.problems.length > 0 || reviewed.failure !== undefined ? 'Correct the problems first' : undefined;
  return (
    <Dialog
      open
      size="xl"
      closable={!writing}
      onClose={back}
      title={reviewed.objects.length === 1 ? 'Apply 1 object' : `Apply ${reviewed.objects.length} objects as one`}
      description={`All of them are stored in one transaction, or none.${reviewed.unsure ? '' : ' Nothing is written yet.'}`}
      footer={
        <>
          <Button onClick={back} disabled={writing}>
            Keep editing
          </Button>
          <Button variant="primary" busy={state.step !== 'review'} disabledReason={disabledReason ?? blocked ?? wrong} onClick={write}>
            Apply all
          </Button>
        </>
      }
    >
      <ReviewBody key={firstOf(reviewed)} reviewed={reviewed} onMerged={merge} onRetry={review} />
    </Dialog>
  );
}
