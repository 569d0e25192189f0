// A system as a picture or diagram for other programs: Mermaid text and SVG. Pure.
import { edgeLine, into, lanesOf, outOf } from '../../../graph/edge-path.ts';
import type { Box, Direction, Point } from '../../../graph/layout.ts';
import type { SystemEdge, SystemGraphModel } from '../../../graph/system-graph.ts';
import { boundsOf } from '../../../graph/view.ts';

const quoted = (text: string) => text.replaceAll('"', '#quot;').replace(/[\r\n]+/g, ' ');

/** A Mermaid flowchart. Agents have numbers for names, so that no name can break it. */
export function mermaidOf({ nodes, edges }: SystemGraphModel, direction: Direction): string {
  const number = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = nodes.map(({ id, entry, join }) => {
    const words = quoted(join ? `${id}<br/>${join.badge}` : id);
    return `  ${number.get(id)}${entry ? `(["${words}"])` : `["${words}"]`}`;
  });
  const arrows = edges.map(({ source, target, chips, field }) => {
    const arrow = typeof field === 'number' ? '-->' : '-.->';
    return `  ${number.get(source)} ${arrow}${chips.length > 0 ? `|"${quoted(chips.join(', '))}"|` : ''} ${number.get(target)}`;
  });
  return [`flowchart ${direction}`, ...lines, ...arrows, ''].join('\n');
}

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const MARGIN = 56;
const LABEL = { line: 14, character: 6.4, most: 32 } as const;
const NAME_CHARACTER = 8.6;
const INSET = 14;

/** Label of a route: its chips one below the other around a point, shortened where they would cover the rest of the picture. */
function labelOf({ chips }: SystemEdge, at: Point): { readonly svg: string; readonly box: Box } {
  const lines = chips.map((chip) => shortened(chip, LABEL.most));
  const width = Math.max(0, ...lines.map((line) => line.length)) * LABEL.character;
  const height = lines.length * LABEL.line;
  const box = { x: at.x - width / 2, y: at.y - height / 2, width, height };
  if (lines.length === 0) return { svg: '', box };
  const spans = lines
    .map((line, index) => `<tspan x="${at.x}" y="${box.y + (index + 0.75) * LABEL.line}">${escaped(line)}</tspan>`)
    .join('');
  const whole = `<title>${escaped(chips.join(', '))}</title>`;
  return {
    svg: `<text text-anchor="middle" font-size="11" paint-order="stroke" stroke="#fff" stroke-width="4" fill="#333">${whole}${spans}</text>`,
    box,
  };
}

/** A self-contained drawing in neutral colours: no style sheet, no script, no font file. */
export function svgOf(model: SystemGraphModel, boxes: ReadonlyMap<string, Box>, direction: Direction): string {
  const lanes = lanesOf(model.edges, boxes, direction);
  const drawn = model.edges.flatMap((edge) => {
    const [source, target] = [boxes.get(edge.source), boxes.get(edge.target)];
    if (!source || !target) return [];
    const line = edgeLine({ from: outOf(source, direction), to: into(target, direction), direction, edge, lane: lanes.get(edge.id) });
    const dashed = typeof edge.field === 'number' ? '' : ' stroke-dasharray="5 4"';
    const path = `<path d="${line.path}" fill="none" stroke="#667" stroke-width="1.75"${dashed} marker-end="url(#arrow)"/>`;
    return [{ path, label: labelOf(edge, line.label) }];
  });
  const { x, y, width, height } = boundsOf([...boxes.values(), ...drawn.map(({ label }) => label.box)]);
  const lines = drawn.map(({ path }) => path).join('');
  const labels = drawn.map(({ label }) => label.svg).join('');
  const cards = model.nodes.flatMap((node) => {
    const box = boxes.get(node.id);
    if (!box) return [];
    const notes = [node.entry && 'start', node.join && `join ${node.join.badge}`, node.review && 'review', node.terminal && 'end']
      .filter(Boolean)
      .join(' · ');
    return [
      `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="8" fill="#fff" stroke="#889"/>`,
      `<text x="${box.x + INSET}" y="${box.y + 34}" font-size="14" font-weight="600" fill="#111"><title>${escaped(node.id)}</title>${escaped(shortened(node.id, Math.floor((box.width - 2 * INSET) / NAME_CHARACTER)))}</text>`,
      notes === '' ? '' : `<text x="${box.x + INSET}" y="${box.y + 58}" font-size="11" fill="#556">${escaped(notes)}</text>`,
    ];
  });
  const view = `${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`;
  const arrow =
    '<marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0.5 L10,5 L0,9.5 z" fill="#667"/></marker>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view}" width="${width + 2 * MARGIN}" height="${height + 2 * MARGIN}" font-family="Inter, system-ui, sans-serif"><defs>${arrow}</defs>${lines}${cards.join('')}${labels}</svg>\n`;
}
