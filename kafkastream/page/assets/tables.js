// Partitions, micro-batches, failures, metrics and settings.
import { html } from "./html.js";
import { ago, behind, bytes, count, duration, exactWatermark, moment } from "./format.js";
import { byKind, phaseText } from "./charts.js";

const SHOWN = 12;

function More({ all, shown, is, set }) {
  if (all <= SHOWN) return null;
  return html`<button class="more" onClick=${() => set(!is)}>
    ${is ? "Show fewer" : `Show all ${all}`}${is ? "" : ` (${all - shown} more)`}</button>`;
}

/** Partitions with the most lag first, once there are many; by topic and number otherwise. */
export function Partitions({ job, open, toggle }) {
  const many = job.partitions.length > SHOWN;
  const ordered = [...job.partitions].sort((a, b) =>
    (many ? (b.lag || 0) - (a.lag || 0) : 0) || a.topic.localeCompare(b.topic) || a.partition - b.partition);
  const shown = open ? ordered : ordered.slice(0, SHOWN);
  const most = Math.max(...job.partitions.map((one) => one.lag || 0), 1);
  if (!job.partitions.length) return html`<p class="quiet">The job reads no Kafka topic, or has not begun to.</p>`;
  return html`<div class="scroll"><table class="partitions">
    <thead><tr><th>Partition</th><th class="n wide">Offset</th><th class="n wide">End</th><th class="n">Lag</th>
      <th class="bar"></th><th class="n wide">Committed</th><th class="n">Watermark</th></tr></thead>
    <tbody>${shown.map((one) => html`<tr key=${`${one.vertex}/${one.topic}/${one.partition}`}>
      <td title=${one.source}>${one.topic}<span class="quiet"> / </span>${one.partition}
        <small class="narrow">${count(one.offset)} of ${count(one.end)}</small></td>
      <td class="n wide">${count(one.offset)}</td><td class="n wide">${count(one.end)}</td>
      <td class=${`n ${one.lag ? "lag" : ""}`}>${count(one.lag)}</td>
      <td class="bar"><div style=${{ width: `${(100 * (one.lag || 0)) / most}%` }}></div></td>
      <td class="n wide">${count(one.committed)}</td>
      <td class="n" title=${exactWatermark(one.watermark_ms)}>
        ${one.is_idle ? html`<span class="chip">idle</span> ` : null}${behind(one.watermark_ms, job.now_ms)}</td>
    </tr>`)}</tbody></table></div>
    <${More} all=${ordered.length} shown=${shown.length} is=${open} set=${toggle} />`;
}

export function Batches({ job, open, toggle }) {
  const newest = [...job.batches].reverse();
  const shown = open ? newest : newest.slice(0, SHOWN);
  const longest = Math.max(...shown.map((batch) => batch.duration_ms), 1);
  const parts = new Set(newest.map((batch) => batch.part)).size > 1;
  if (!newest.length) return html`<p class="quiet">No micro-batch has ended yet.</p>`;
  return html`<div class="scroll"><table>
    <thead><tr><th>Micro-batch</th><th>Began</th><th class="n">Records</th><th class="n">Took</th>
      <th class="bar wide"><span class="key work">processing</span> <span class="key commit">commits</span>
        <span class="key other">rest</span></th>
      <th class="n wide">Checkpoint</th><th class="n wide">State</th></tr></thead>
    <tbody>${shown.map((batch) => html`<tr key=${`${batch.part}/${batch.number}/${batch.began_ms}`} title=${phaseText(batch)}>
      <td>${batch.number}${parts ? html`<span class="quiet"> in ${batch.part}</span>` : null}</td>
      <td>${moment(batch.began_ms)}</td>
      <td class="n">${count(batch.rows)}</td><td class="n">${duration(batch.duration_ms)}</td>
      <td class="bar wide"><div class="phases">${Object.entries(byKind(batch)).map(([kind, ms]) =>
        html`<div class=${kind} style=${{ width: `${(100 * ms) / longest}%` }}></div>`)}</div></td>
      <td class="n wide">${duration(batch.commit_ms)}</td>
      <td class="n wide">${bytes(batch.state_bytes)}</td>
    </tr>`)}</tbody></table></div>
    <${More} all=${newest.length} shown=${shown.length} is=${open} set=${toggle} />`;
}

export function Failures({ job }) {
  if (!job.failures.length) return html`<p class="quiet">No failures.</p>`;
  return [...job.failures].reverse().map((one, i) => html`<details class="failure" key=${`${one.at_ms}/${one.text}`} open=${i === 0}>
    <summary><span class="when" title=${moment(one.at_ms)}>${ago(one.at_ms, job.now_ms)}</span>
      <b>${one.name}</b>${" "}
      <span class="quiet">${one.restart === null ? "the job has failed" : `restart ${one.restart} after ${duration(one.wait_ms)}`}</span>
    </summary>
    <pre>${one.text}</pre></details>`);
}

export function Metrics({ job, chosen, wanted, want, choose }) {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const found = job.metrics.filter(([operator, , path]) =>
    (chosen === null || operator === chosen) &&
    words.every((word) => `${operator} ${path}`.toLowerCase().includes(word)));
  const operators = [...new Set(job.metrics.map(([operator]) => operator))];
  return html`<div class="filter">
      <input type="search" placeholder="Filter by name" aria-label="Filter metrics by name" value=${wanted}
        onInput=${(event) => want(event.target.value)} />
      <select aria-label="Operator" onChange=${(event) => choose(event.target.value === "*" ? null : event.target.value)}>
        <option value="*" selected=${chosen === null}>All operators</option>
        ${operators.map((one) => html`<option value=${one} selected=${chosen === one}>${one || "The job"}</option>`)}
      </select></div>
    <div class="scroll"><table class="metrics">
    <thead><tr><th>Metric</th><th class="n wide">Subtask</th><th class="n">Value</th></tr></thead>
    <tbody>${found.slice(0, 300).map(([operator, subtask, path, kind, value]) =>
      html`<tr key=${`${operator}/${subtask}/${path}`}>
        <td title=${kind}>${chosen === null && operator ? html`<span class="quiet">${operator} </span>` : null}${path}</td>
        <td class="n wide">${operator ? subtask : ""}</td>
        <td class="n">${typeof value === "number" ? count(value) : value}</td></tr>`)}</tbody></table></div>
    ${found.length > 300 && html`<p class="quiet">${found.length - 300} more; filter by name to see them.</p>`}`;
}

export function Settings({ job }) {
  const groups = [...new Set(job.settings.map((one) => one.of))];
  if (!groups.length) return html`<p class="quiet">Nothing is set.</p>`;
  return groups.map((group) => html`<h3 key=${group}>${group === "job" ? "Job" : group}</h3>
    <div class="scroll"><table class="settings"><tbody>${job.settings.filter((one) => one.of === group).map((one) =>
      html`<tr key=${one.key}><td>${one.key}</td><td>${one.value}</td></tr>`)}</tbody></table></div>`);
}
