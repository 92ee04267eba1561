// Charts of the progress: lines over time, and bars of micro-batches by phase.
import { html } from "./html.js";
import { count, duration, moment, short } from "./format.js";

const PHASES = ["addBatch", "walCommit", "commitOffsets", "commitBatch", "queryPlanning", "getBatch", "latestOffset"];
const MEANINGS = {
  addBatch: "processing", walCommit: "log of offsets", commitOffsets: "commit", commitBatch: "commit",
  queryPlanning: "planning", getBatch: "sources", latestOffset: "ends of topics",
};
const KINDS = { addBatch: "work", walCommit: "commit", commitOffsets: "commit", commitBatch: "commit" };

/** The phases of a micro-batch by what they are for: processing, commits, the rest. */
export function byKind(batch) {
  const sums = { work: 0, commit: 0, other: 0 };
  for (const [phase, ms] of Object.entries(batch.phases_ms)) sums[KINDS[phase] || "other"] += ms;
  const known = sums.work + sums.commit + sums.other;
  sums.other += Math.max(batch.duration_ms - known, 0);
  return sums;
}

export const phaseText = (batch) => [
  ...PHASES.filter((phase) => phase in batch.phases_ms),
  ...Object.keys(batch.phases_ms).filter((phase) => !PHASES.includes(phase)),
].map((phase) => `${phase}${MEANINGS[phase] ? ` (${MEANINGS[phase]})` : ""}: ${duration(batch.phases_ms[phase])}`).join("\n");

const top = (values) => {
  const most = Math.max(...values, 1);
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((n) => n * unit).find((limit) => limit >= most);
};

function Frame({ title, now, limit, format, from, to, children }) {
  return html`<figure class="chart">
    <figcaption><span>${title}</span><b>${now}</b></figcaption>
    <div class="plot"><span class="limit">${format(limit)}</span>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=${`${title}: ${now}`}>
        <line class="grid" x1="0" x2="100" y1="0.5" y2="0.5" /><line class="grid" x1="0" x2="100" y1="50" y2="50" />
        <line class="grid" x1="0" x2="100" y1="99.5" y2="99.5" />
        ${children}
      </svg></div>
    <div class="axis"><span>${from}</span><span>${to}</span></div>
  </figure>`;
}

/** A line of [ms, value] pairs; values that are unknown leave gaps. */
export function Line({ title, points, now, format, kind }) {
  const known = points.filter(([, value]) => value !== null);
  if (known.length < 2) {
    return html`<${Frame} title=${title} now=${now} limit=${0} format=${() => ""} from="" to="a few seconds more …" />`;
  }
  const [first, last] = [known[0][0], known[known.length - 1][0]];
  const limit = top(known.map(([, value]) => value));
  const x = (ms) => ((100 * (ms - first)) / (last - first)).toFixed(2);
  const y = (value) => (99.5 - (99 * value) / limit).toFixed(2);
  const path = known.map(([ms, value], i) => `${i ? "L" : "M"}${x(ms)} ${y(value)}`).join("");
  return html`<${Frame} title=${title} now=${now} limit=${limit} format=${format} from=${moment(first)} to=${moment(last)}>
    <path class=${`area ${kind}`} d=${`${path}L100 99.5L0 99.5Z`} />
    <path class=${`line ${kind}`} d=${path} />
  <//>`;
}

/** A bar per micro-batch, of its phases. */
export function Bars({ title, batches, now }) {
  if (!batches.length) {
    return html`<${Frame} title=${title} now=${now} limit=${0} format=${() => ""} from="" to="no micro-batch yet" />`;
  }
  const limit = top(batches.map((batch) => batch.duration_ms));
  const step = 100 / Math.max(batches.length, 24);
  return html`<${Frame} title=${title} now=${now} limit=${limit} format=${duration}
    from=${moment(batches[0].began_ms)} to=${moment(batches[batches.length - 1].began_ms)}>
    ${batches.map((batch, i) => {
      let base = 99.5;
      return html`<g key=${`${batch.part}/${batch.number}/${batch.began_ms}`}>
        <title>${`micro-batch ${batch.number}, ${moment(batch.began_ms)}: ${count(batch.rows)} records in ${duration(batch.duration_ms)}\n${phaseText(batch)}`}</title>
        ${Object.entries(byKind(batch)).map(([kind, ms]) => {
          const height = (99 * ms) / limit;
          base -= height;
          return html`<rect class=${`phase ${kind}`} x=${i * step + step * 0.1} width=${step * 0.8} y=${base} height=${height} />`;
        })}</g>`;
    })}
  <//>`;
}

/** Rates between samples of [ms, records, lag]. */
export function rates(samples) {
  const points = [];
  for (let i = 1; i < samples.length; i++) {
    const [before, after] = [samples[i - 1], samples[i]];
    points.push([after[0], Math.max((1000 * (after[1] - before[1])) / (after[0] - before[0]), 0)]);
  }
  return points;
}

export const perSecond = (n) => short(n) + "/s";
