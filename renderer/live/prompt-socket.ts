// A WebSocket whose end counts from its close(): a browser reports it only after the closing handshake, for which a server that no longer
// answers lets it wait a minute.
export class PromptSocket extends WebSocket {
  #left = false;

  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    // Added before all other listeners: nothing arrives after the end.
    for (const type of ['message', 'error', 'close'])
      this.addEventListener(type, (event) => {
        if (this.#left) event.stopImmediatePropagation();
      });
  }

  override close(code?: number, reason?: string): void {
    const wasOpen = this.readyState === WebSocket.OPEN;
    super.close(code, reason);
    if (!wasOpen || this.#left) return;
    this.dispatchEvent(new CloseEvent('close', { code: 1006 }));
    this.#left = true;
  }
}
