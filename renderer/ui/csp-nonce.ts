// Libraries that create <style> elements do not use the page's nonce; without it the policy refuses them. Imported before everything else.

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

if (nonce !== '' && nonce !== '__CSP_NONCE__') {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its document below
  const create = Document.prototype.createElement;
  Document.prototype.createElement = function (this: Document, name: string, options?: ElementCreationOptions): HTMLElement {
    const element = create.call(this, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}

/** The nonce of this page's policy, for libraries that accept one (an editor's `cspNonce`). Empty when the page has none. */
export const cspNonce = nonce;
