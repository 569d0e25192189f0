// Placeholder before the server's first answer. Shows nothing at first: on a near server the wait ends before anybody sees it.
import { Spinner } from '../../ui/Spinner.tsx';

export function Splash() {
  return (
    <div className="flex min-h-dvh animate-[pop_400ms_600ms_backwards] items-center justify-center">
      <Spinner label="Connecting to the server" className="size-5" />
    </div>
  );
}
