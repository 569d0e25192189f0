// Ends a program on a Node.js that is too old, with a sentence in place of an error of syntax. Loaded before anything that such a version cannot load.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node.js ${process.versions.node} is too old: install 20.19 or newer (24 is recommended), from https://nodejs.org.`);
  process.exit(1);
}
