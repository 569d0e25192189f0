// A terminal of the dock on its screen: connects, and connects again when the lost server is back.
import { useEffect, useRef, useState, type RefObject } from 'react';
import { useConnection } from '../../live/connection.ts';
import { rememberId, type DockTab } from './model/dock.ts';
import { openLink, type LinkEnd, type TerminalLink } from './terminal-link.ts';
import { createScreen, type Screen } from './xterm-screen.ts';

export interface ShownTerminal {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly end: LinkEnd | undefined;
  /** A pasted text of several lines that waits for a confirmation. */
  readonly review: string | undefined;
  readonly answerReview: (accepted: boolean) => void;
  readonly reconnect: () => void;
}

interface ConnectOptions {
  readonly tab: DockTab;
  readonly screen: Screen;
  readonly onEnd: (end: LinkEnd) => void;
}

/** Earlier output may hold questions to the terminal: their answers must not reach the shell a second time. */
function connect({ tab, screen: { terminal }, onEnd }: ConnectOptions) {
  let replaying = 0;
  let command = tab.id === undefined ? tab.command : undefined;
  const link = openLink({
    namespace: tab.namespace,
    id: tab.id,
    size: () => ({ cols: terminal.cols, rows: terminal.rows }),
    onReady: ({ id, replay_bytes: bytes }) => {
      replaying = bytes;
      terminal.reset();
      rememberId(tab.key, id);
    },
    onOutput: (bytes, done) =>
      terminal.write(bytes, () => {
        replaying = Math.max(0, replaying - bytes.length);
        done();
        // At the first prompt; a line break is never sent.
        if (command !== undefined) link.type(command);
        command = undefined;
      }),
    onEnd,
  });
  return { ...link, type: (text: string) => replaying === 0 && link.type(text) };
}

export function useTerminal(tab: DockTab): ShownTerminal {
  const element = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(undefined);
  const link = useRef<Pick<TerminalLink, 'leave' | 'resize'> & { type: (text: string) => unknown }>(undefined);
  const latest = useRef(tab);
  const [end, setEnd] = useState<LinkEnd>();
  const [review, setReview] = useState<string>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    latest.current = tab;
  });
  useEffect(() => {
    if (element.current === null) return;
    const made = createScreen({
      element: element.current,
      onInput: (text) => link.current?.type(text),
      onResize: (size) => link.current?.resize(size),
      onReview: setReview,
    });
    screen.current = made;
    return () => {
      screen.current = undefined;
      made.dispose();
    };
  }, []);
  useEffect(() => {
    if (screen.current === undefined) return;
    const onEnd = (ended: LinkEnd) => {
      if (ended.state === 'ended') rememberId(latest.current.key, undefined);
      setEnd(ended);
    };
    const opened = connect({ tab: latest.current, screen: screen.current, onEnd });
    link.current = opened;
    return () => opened.leave();
  }, [tries]);
  const reconnect = () => {
    setEnd(undefined);
    setTries((before) => before + 1);
  };
  const isLive = useConnection().phase === 'live';
  const lost = end?.state === 'lost';
  useEffect(() => {
    if (!lost || !isLive) return;
    const timer = setTimeout(reconnect, 1000);
    return () => clearTimeout(timer);
  }, [lost, isLive]);
  const answerReview = (accepted: boolean) => {
    if (accepted && review !== undefined) screen.current?.terminal.paste(review);
    setReview(undefined);
    screen.current?.terminal.focus();
  };
  return { element, end, review, answerReview, reconnect };
}
