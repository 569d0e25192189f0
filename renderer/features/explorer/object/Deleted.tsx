// The object was deleted while it was open: its last known state stays, and can be created again.
import type { Resource } from '@svc/shared/resource';
import { RotateCcw, Trash2 } from 'lucide-react';
import { createAddress, kindAddress } from '../../../navigation/addresses.ts';
import { kindsTitle } from '../../../kinds/kind-titles.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { rememberLost } from '../model/lost-objects.ts';
import { isCreatable } from '../object-traits.ts';

export interface DeletedProps {
  readonly kind: KindSummary;
  readonly resource: Resource;
  readonly scope: string;
}

export function Deleted({ kind, resource, scope }: DeletedProps) {
  const { go } = useNavigation();
  const { namespace, name } = resource.metadata;
  const recreate = () => {
    rememberLost(resource);
    go(createAddress(namespace, kind.kind, { lost: `${namespace}/${name}` }));
  };
  return (
    <Banner
      tone="danger"
      icon={<Trash2 />}
      action={
        <>
          <LinkButton size="sm" href={kindAddress(scope, kind.kind)}>
            {kindsTitle(kind)}
          </LinkButton>
          {isCreatable(kind.kind) && (
            <Button size="sm" icon={<RotateCcw />} onClick={recreate}>
              Recreate
            </Button>
          )}
        </>
      }
    >
      {name} was deleted. The last known version is shown.
    </Banner>
  );
}
