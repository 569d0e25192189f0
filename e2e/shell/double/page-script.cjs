// Script of every page of the double: runs the built preload with a stand-in for `electron`, and reports windows that the page wants.
'use strict';

/** Runs in the page; serialised by its source. */
function preloadHost(runPreload) {
  const binding = window.__svcDouble;
  delete window.__svcDouble;
  const waiting = new Map();
  const listeners = new Map();
  let lastId = 0;
  const encode = (value) =>
    value instanceof Uint8Array ? { $bytes: btoa(String.fromCharCode(...value)) } : Array.isArray(value) ? value.map(encode) : value;
  const ipcRenderer = {
    invoke: (channel, payload) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        binding(JSON.stringify({ type: 'invoke', id, channel, payload: encode(payload), given: payload !== undefined }));
      }),
    on(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
    },
    removeListener(channel, listener) {
      listeners.set(
        channel,
        (listeners.get(channel) ?? []).filter((each) => each !== listener),
      );
    },
  };
  Object.defineProperty(window, '__svcDoubleIn', {
    value(message) {
      if (message.type === 'event') for (const listener of listeners.get(message.channel) ?? []) listener({}, message.payload);
      else {
        const { resolve, reject } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.ok) resolve(message.value);
        else reject(new Error(`Error invoking remote method: ${message.error}`));
      }
    },
  });
  const contextBridge = {
    exposeInMainWorld: (key, api) => Object.defineProperty(window, key, { value: Object.freeze(api), enumerable: true }),
  };
  runPreload({ contextBridge, ipcRenderer });
  window.open = (url) => {
    binding(JSON.stringify({ type: 'open', url: new URL(url, location.href).href }));
    return null;
  };
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[target=_blank]') : null;
    if (link === null || event.defaultPrevented) return;
    event.preventDefault();
    window.open(link.href);
  });
}

/** Source of the script for a preload file. Sub-frames get no bridge, as in Electron. */
const pageScript = (preload) =>
  `if (window === top && window.__svcDouble) (${preloadHost})(({ contextBridge, ipcRenderer }) => {
    const process = { platform: ${JSON.stringify(process.platform)} };
    const require = (name) => { if (name === 'electron') return { contextBridge, ipcRenderer }; throw new Error('module not found: ' + name); };
    const exports = {}; const module = { exports };
    ${preload}
  });`;

module.exports = { pageScript };
