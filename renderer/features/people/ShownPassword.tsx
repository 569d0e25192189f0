// Generated password, shown this once.
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { Input } from '../../ui/input/Input.tsx';

export function ShownPassword({ password, onDone }: { readonly password: string; readonly onDone: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-2">
        <Input readOnly mono aria-label="The password" value={password} onFocus={(event) => event.target.select()} />
        <CopyButton words label="Copy" text={password} />
      </div>
      <Banner tone="warn" className="rounded-md">
        Send it over a secure channel. The user can change it on the account page.
      </Banner>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onDone}>
          I have saved it
        </Button>
      </div>
    </div>
  );
}
