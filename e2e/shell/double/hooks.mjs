// Module hook of the double: imports of `electron` in the built main process get its exports.

/** @param {string} specifier @param {object} context @param {Function} next */
export const resolve = (specifier, context, next) =>
  specifier === 'electron' ? { url: new URL('electron-exports.mjs', import.meta.url).href, shortCircuit: true } : next(specifier, context);
