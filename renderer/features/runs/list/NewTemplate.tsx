// Button of the list of templates: creates one, then opens its page.
import { objectAddress } from '../../../navigation/addresses.ts';
import { useScope } from '../../../navigation/scope.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { NewTemplateButton, type NewTemplateButtonProps } from '../../triggers/parts/NewTemplateButton.tsx';
import { TASK } from '../model/run.ts';

export interface NewTemplateProps extends Pick<NewTemplateButtonProps, 'variant'> {
  /** Namespace scope of the shell, which links keep. */
  readonly scope: string;
}

export function NewTemplate({ scope, ...button }: NewTemplateProps) {
  const { home } = useScope();
  const { go } = useNavigation();
  return (
    <NewTemplateButton {...button} namespace={home} onCreated={(name) => go(objectAddress({ kind: TASK, namespace: home, name }, scope))} />
  );
}
