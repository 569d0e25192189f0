// A card in short: description, skills and keys of its signatures.
import { filledText } from '@svc/shared/json';
import { DescriptionList, type DescriptionItem } from '../../../ui/layout/DescriptionList.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { signaturesOf, skillsOf } from '../model/registry.ts';

const SKILLS_SHOWN = 20;

export function CardFacts({ card }: { readonly card: Readonly<Record<string, unknown>> }) {
  const skills = skillsOf(card);
  const description = filledText(card.description);
  const version = filledText(card.version);
  const items: DescriptionItem[] = [
    ...(description === undefined
      ? []
      : [{ term: 'Description', detail: <UntrustedText block text={description} className="max-w-prose" /> }]),
    ...(version === undefined ? [] : [{ term: 'Version', detail: <UntrustedText text={version} /> }]),
    ...(skills.length === 0 ? [] : [{ term: 'Skills', detail: <Skills skills={skills} /> }]),
    ...signaturesOf(card).map(({ algorithm, keyId }) => ({
      term: 'Signature',
      detail: <UntrustedText mono text={keyId === undefined ? algorithm : `${algorithm} ${keyId}`} />,
    })),
  ];
  return items.length === 0 ? null : <DescriptionList items={items} />;
}

function Skills({ skills }: { readonly skills: ReturnType<typeof skillsOf> }) {
  return (
    <ul className="flex flex-col gap-0.5">
      {skills.slice(0, SKILLS_SHOWN).map(({ name, description }, index) => (
        <li key={index}>
          <UntrustedText mono text={name} />
          {description !== undefined && (
            <>
              {' '}
              <UntrustedText text={description} className="text-muted" />
            </>
          )}
        </li>
      ))}
      {skills.length > SKILLS_SHOWN && <li className="text-muted">and {skills.length - SKILLS_SHOWN} more, in the card below</li>}
    </ul>
  );
}
