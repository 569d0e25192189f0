// Hook of electron-builder after signing on macOS: says aloud when the app was not signed or not notarized. Never fails a build without credentials.
'use strict';

module.exports = async function afterSign({ electronPlatformName }) {
  if (electronPlatformName !== 'darwin') return;
  const { CSC_LINK, CSC_NAME, APPLE_API_KEY, APPLE_ID, APPLE_KEYCHAIN_PROFILE } = process.env;
  if (!CSC_LINK && !CSC_NAME)
    console.warn('SKIPPED: the app is not signed, because neither CSC_LINK nor CSC_NAME is set. It cannot update itself.');
  if (!APPLE_API_KEY && !APPLE_ID && !APPLE_KEYCHAIN_PROFILE)
    console.warn('SKIPPED: the app is not notarized, because none of APPLE_API_KEY, APPLE_ID and APPLE_KEYCHAIN_PROFILE is set.');
};
