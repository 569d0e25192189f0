// Hook of electron-builder that signs a file for Windows by the command that SVC_SIGN_COMMAND names. Without one it says so, and signs nothing.
'use strict';
const { execFileSync } = require('node:child_process');

let reported = false;

/** @param {{ path: string }} file The command gets the path as its last argument, and signs in place. */
module.exports = async function signWindows({ path }) {
  const command = process.env.SVC_SIGN_COMMAND;
  if (!command) {
    if (!reported) console.warn('SKIPPED: nothing is signed for Windows, because SVC_SIGN_COMMAND is not set.');
    reported = true;
    return;
  }
  execFileSync(command, [path], { stdio: 'inherit' });
};
