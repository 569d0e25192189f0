// Draws the icons of the desktop app from one SVG, renderer/public/icon.svg: PNG, ICO and ICNS of the app, and templates of the tray.
// Run it after a change of the SVG (`node scripts/icons.mjs`); the files are kept in resources/build. It needs a Chromium.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { requireChromium } from '../e2e/chromium.cjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'resources', 'build');
const svg = readFileSync(join(root, 'renderer', 'public', 'icon.svg'), 'utf8');

/** Types of ICNS entries that hold a PNG, by its size. */
const ICNS = { 16: 'icp4', 32: 'icp5', 64: 'icp6', 128: 'ic07', 256: 'ic08', 512: 'ic09', 1024: 'ic10' };
const ICO_SIZES = [16, 32, 48, 256];
/** Marks approvals that wait. */
const withDot = (source, fill) => source.replace('</svg>', `<circle cx="26" cy="6" r="6" fill="${fill}"/></svg>`);
/** Strokes of the mark in the SVG: black on nothing, which macOS draws in the colour of its bar. */
const template = svg.replace(/<rect[^>]*\/>/, '').replace(/#fff(fff)?\b|white/gi, '#000');

const browser = await chromium.launch({
  executablePath: requireChromium(),
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();

/** @param {string} source @param {number} size */
async function png(source, size) {
  await page.setViewportSize({ width: size, height: size });
  const data = Buffer.from(source).toString('base64');
  await page.setContent(
    `<style>body{margin:0}img{display:block}</style><img width="${size}" height="${size}" src="data:image/svg+xml;base64,${data}">`,
  );
  await page.locator('img').evaluate((image) => /** @type {any} */ (image).decode());
  return page.screenshot({ omitBackground: true });
}

function ico(images) {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  images.forEach(({ size, data }, index) => {
    const at = 6 + 16 * index;
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(data.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += data.length;
  });
  return Buffer.concat([head, ...images.map(({ data }) => data)]);
}

function icns(images) {
  const entries = images.map(({ size, data }) => {
    const head = Buffer.alloc(8);
    head.write(ICNS[size], 0, 'latin1');
    head.writeUInt32BE(data.length + 8, 4);
    return Buffer.concat([head, data]);
  });
  const body = Buffer.concat(entries);
  const head = Buffer.alloc(8);
  head.write('icns', 0, 'latin1');
  head.writeUInt32BE(body.length + 8, 4);
  return Buffer.concat([head, body]);
}

const drawn = new Map();
for (const size of new Set([...ICO_SIZES, ...Object.keys(ICNS).map(Number)])) drawn.set(size, { size, data: await png(svg, size) });
mkdirSync(target, { recursive: true });
const write = (name, data) => writeFileSync(join(target, name), data);
write('icon.png', drawn.get(1024).data);
write('icon.ico', ico(ICO_SIZES.map((size) => drawn.get(size))));
write('icon.icns', icns(Object.keys(ICNS).map((size) => drawn.get(Number(size)))));
for (const [name, source] of [
  ['trayTemplate', template],
  ['tray-attentionTemplate', withDot(template, '#000')],
  // For bars of any colour.
  ['tray', svg],
  ['tray-attention', withDot(svg, '#f59e0b')],
]) {
  write(`${name}.png`, await png(source, 16));
  write(`${name}@2x.png`, await png(source, 32));
}
await browser.close();
