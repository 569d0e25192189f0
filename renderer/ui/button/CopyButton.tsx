// Copies a value and confirms it.
import { Check, Copy } from 'lucide-react';
import { useEffect, useState, type ReactElement } from 'react';
import { announce } from '../feedback/announcer.ts';
import { Button } from './Button.tsx';
import { copyText } from './copy-text.ts';
import { IconButton } from './IconButton.tsx';

export interface CopyButtonProps {
  /** Text to copy; a function when making it costs something. */
  readonly text: string | (() => string);
  /** Name of the text: "Copy request id". */
  readonly label: string;
  /** Default: two sheets. */
  readonly icon?: ReactElement;
  /** Shows the label beside the icon. */
  readonly words?: boolean;
  readonly className?: string;
}

const SHOWN_MS = 1600;

export function CopyButton({ text, label, icon: idle = <Copy />, words = false, className }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    const copied = await copyText(typeof text === 'function' ? text() : text);
    setState(copied ? 'copied' : 'failed');
    announce(copied ? 'Copied' : 'Copying failed');
  };
  const icon = state === 'copied' ? <Check className="text-ok" /> : idle;
  const message = state === 'copied' ? 'Copied' : state === 'failed' ? 'The browser did not allow copying' : label;
  if (words) {
    return (
      <Button size="sm" icon={icon} onClick={copy} {...(className !== undefined && { className })}>
        {message}
      </Button>
    );
  }
  return <IconButton size="sm" label={message} icon={icon} onClick={copy} {...(className !== undefined && { className })} />;
}
