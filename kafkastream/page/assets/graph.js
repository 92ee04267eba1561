// The job graph: boxes at the places that the driver has laid out, over the lines between them.
import { html } from "./html.js";
import { behind, count, exactWatermark, rate, short } from "./format.js";

const HEIGHT = 140;
const GAP = { along: 44, across: 18 };
const NARROW = 700;

/** Sizes in pixels, and a function from the places of the layout to them: along the columns, or down on a phone. */
function geometry(layout, width) {
  const down = width < NARROW;
  const boxes = Math.max(down ? layout.rows : layout.columns, 1);
  const gap = down ? GAP.across : GAP.along;
  const widest = down ? 340 : 230;
  const box = Math.max(Math.min((width - gap * (boxes - 1)) / boxes, widest), down ? 132 : 146);
  const step = { column: down ? HEIGHT + 34 : box + GAP.along, row: down ? box + GAP.across : HEIGHT + GAP.across };
  const at = ([column, row]) =>
    down ? [row * step.row, column * step.column] : [column * step.column, row * step.row];
  const size = down
    ? [layout.rows * step.row - GAP.across, layout.columns * step.column - 34]
    : [layout.columns * step.column - GAP.along, layout.rows * step.row - GAP.across];
  return { down, box, at, size };
}

/** A line through the middle of what it passes, which leaves and enters boxes straight. */
function line(places, { down, box, at }) {
  const points = places.map(at);
  const out = ([x, y]) => (down ? [x + box / 2, y + HEIGHT] : [x + box, y + HEIGHT / 2]);
  const into = ([x, y]) => (down ? [x + box / 2, y] : [x, y + HEIGHT / 2]);
  let path = "";
  for (let i = 1; i < points.length; i++) {
    const [x, y] = out(points[i - 1]);
    const [to, ty] = into(points[i]);
    const [mx, my] = [(x + to) / 2, (y + ty) / 2];
    path += i === 1 ? `M${x} ${y}` : `L${x} ${y}`;
    path += down ? `C${x} ${my} ${to} ${my} ${to} ${ty}` : `C${mx} ${y} ${mx} ${ty} ${to} ${ty}`;
  }
  const [[x, y], [to, ty]] = [out(points[0]), into(points[1])];
  return { path, middle: [(x + to) / 2, (y + ty) / 2] };
}

const KINDS = { source: "Source", operator: "Operator", sink: "Sink" };

function Foot({ vertex, now }) {
  const { lag, watermark_ms: watermark, records_in, records_out } = vertex;
  if (lag) return html`<span class="foot lag" title=${count(lag)}>lag ${short(lag)}</span>`;
  if (watermark !== null) return html`<span class="foot" title=${exactWatermark(watermark)}>${behind(watermark, now)}</span>`;
  return html`<span class="foot">${records_in === null && records_out === null ? "no records yet" : "\u00a0"}</span>`;
}

function Box({ vertex, now, place, geometry, chosen, choose }) {
  const [x, y] = geometry.at(place);
  const style = { left: `${x}px`, top: `${y}px`, width: `${geometry.box}px`, height: `${HEIGHT}px` };
  const name = vertex.name.replace(/^(Source|Sink): /, "");
  const { records_in, records_out } = vertex;
  return html`<button
    class=${`box ${vertex.kind} ${chosen ? "chosen" : ""}`} style=${style} title=${vertex.description}
    aria-pressed=${chosen} onClick=${() => choose(vertex.operator)}>
    <span class="kind">${KINDS[vertex.kind]}${vertex.parallelism > 1 ? ` ×${vertex.parallelism}` : ""}</span>
    <b>${name}</b>
    <span class="where">${vertex.endpoint || "\u00a0"}</span>
    ${records_in !== null && html`<span class="numbers" title=${count(records_in)}>
      <i>in</i><span>${rate(vertex.in_per_second)}</span><small>${short(records_in)}</small></span>`}
    ${records_out !== null && html`<span class="numbers" title=${count(records_out)}>
      <i>out</i><span>${rate(vertex.out_per_second)}</span><small>${short(records_out)}</small></span>`}
    <${Foot} vertex=${vertex} now=${now} />
  </button>`;
}

export function Graph({ job, width, chosen, choose }) {
  const shape = geometry(job.layout, width);
  const [w, h] = shape.size;
  return html`<div class="graph"><div class="canvas" style=${{ width: `${w}px`, height: `${h}px` }}>
    <svg width=${w} height=${h} aria-hidden="true">
      ${job.layout.edges.map((edge) => html`<path key=${`${edge.start}-${edge.end}`} d=${line(edge.places, shape).path}
        class=${edge.ship_strategy === "FORWARD" ? "edge" : "edge shuffled"} />`)}
    </svg>
    ${job.layout.edges.filter((edge) => edge.ship_strategy !== "FORWARD").map((edge) => {
      const [x, y] = line(edge.places, shape).middle;
      return html`<span key=${`${edge.start}-${edge.end}`} class="ship" style=${{ left: `${x}px`, top: `${y}px` }}>
        ${edge.ship_strategy.toLowerCase()}</span>`;
    })}
    ${job.vertices.map((vertex) => html`<${Box} key=${vertex.node} vertex=${vertex} now=${job.now_ms}
      place=${job.layout.nodes[vertex.node]} geometry=${shape} chosen=${chosen === vertex.operator} choose=${choose} />`)}
  </div></div>`;
}
