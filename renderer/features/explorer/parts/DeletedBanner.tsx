// The object was deleted while it was open: its last known state stays, and can be created again.
import type { Resource } from '@svc/shared/resource';
import { RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { createAddress, kindAddress } from '../../../navigation/addresses.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { LinkButton } from '../../../ui/button/LinkButton.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { rememberLost } from '../model/lost-objects.ts';
import { isCreatedByService } from '../object-traits.ts';

export interface DeletedBannerProps {
  readonly resource: Resource;
  /** Scope and title of the list of its kind. */
  readonly scope: string;
  readonly listTitle: string;
  /** Shown after the deletion. */
  readonly children?: ReactNode;
}

export function DeletedBanner({ resource, scope, listTitle, children }: DeletedBannerProps) {
  const { go } = useNavigation();
  const { kind } = resource;
  const { namespace, name } = resource.metadata;
  const recreate = () => {
    rememberLost(resource);
    go(createAddress(namespace, kind, { lost: `${namespace}/${name}` }));
  };
  return (
    <Banner
      tone="danger"
      icon={<Trash2 />}
      action={
        <>
          <LinkButton size="sm" href={kindAddress(scope, kind)}>
            {listTitle}
          </LinkButton>
          {!isCreatedByService(kind) && (
            <Button size="sm" icon={<RotateCcw />} onClick={recreate}>
              Recreate
            </Button>
          )}
        </>
      }
    >
      {name} was deleted. The last known version is shown. {children}
    </Banner>
  );
}
