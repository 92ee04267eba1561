// The page: asks the driver for the chosen job each second, and shows it.
import { html, render } from "./html.js";
import { ago, behind, count, duration, exactWatermark, moment, rate, short } from "./format.js";
import { Graph } from "./graph.js";
import { Bars, Line, perSecond, rates } from "./charts.js";
import { Batches, Failures, Metrics, Partitions, Settings } from "./tables.js";

const EVERY_MS = 1000;
const state = {
  jobs: null, job: null, error: null, answered: null, asks: false, chosen: null, wanted: "",
  open: {}, width: 0, cancelled: null,
};

const set = (changes) => { Object.assign(state, changes); draw(); };
const toggle = (name) => (is) => set({ open: { ...state.open, [name]: is } });

const chosenJob = () => decodeURIComponent(location.hash.replace(/^#\/?/, ""));

async function read(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    const body = await answer.json().catch(() => ({}));
    throw new Error((body.errors || [`status ${answer.status}`])[0]);
  }
  return answer.json();
}

let asking = false;

async function ask() {
  if (asking || document.hidden) return;
  asking = true;
  try {
    const { jobs } = await read("page/jobs");
    const wanted = chosenJob();
    const id = jobs.some((one) => one.id === wanted) ? wanted : jobs.length ? jobs[0].id : null;
    const job = id === null ? null : await read(`page/jobs/${id}`);
    set({ jobs, job, error: null, answered: Date.now() });
  } catch (error) {
    set({ error: error instanceof TypeError ? "The program does not answer; it has ended, or is out of reach." : error.message });
  } finally {
    asking = false;
  }
}

async function cancel(id) {
  set({ asks: false, cancelled: id });
  try {
    const answer = await fetch(`jobs/${id}?mode=cancel`, { method: "PATCH" });
    if (!answer.ok) throw new Error((await answer.json()).errors[0]);
  } catch (error) {
    set({ error: error.message, cancelled: null });
  }
  ask();
}

function Header({ job }) {
  const { jobs, asks } = state;
  const running = job && !job.is_over && job.status !== "CANCELLING";
  return html`<header><div class="inner">
    <span class="brand"><img src="page/icon.svg" alt="" width="22" height="22" />kafkastream</span>
    ${jobs && jobs.length > 1 && html`<select aria-label="Job" onChange=${(event) => { location.hash = `/${event.target.value}`; }}>
      ${jobs.map((one) => html`<option value=${one.id} selected=${job && one.id === job.id}>
        ${one.name} – ${one.status.toLowerCase()}, ${moment(one.began_ms)}</option>`)}</select>`}
    <span class="space"></span>
    ${job && job.spark_page && html`<a href=${job.spark_page} rel="noreferrer">Spark UI</a>`}
    ${running && !asks && html`<button class="cancel" onClick=${() => set({ asks: true })}>Cancel job</button>`}
    ${running && asks && html`<span class="question">Stop after the running micro-batch?
      <button class="cancel sure" onClick=${() => cancel(job.id)}>Stop it</button>
      <button onClick=${() => set({ asks: false })}>Keep it running</button></span>`}
  </div></header>`;
}

const Tile = ({ title, value, note, hint, kind }) => html`<div class=${`tile ${kind || ""}`} title=${hint || ""}>
  <span>${title}</span><b>${value}</b><small>${note || "\u00a0"}</small></div>`;

function Tiles({ job }) {
  const last = job.batches[job.batches.length - 1];
  const done = job.left !== null && job.records + job.left > 0 ? job.records / (job.records + job.left) : null;
  const late = behind(job.watermark_ms, job.now_ms).split(/ (behind|ahead)$/);
  return html`<section class="tiles">
    <${Tile} title="Records read" value=${short(job.records)} hint=${count(job.records)}
      note=${done === null ? rate(job.per_second) : `${rate(job.per_second)}, ${Math.floor(100 * done)} % of ${short(job.records + job.left)}`} />
    <${Tile} title="Lag" value=${short(job.lag)} hint=${count(job.lag)} kind=${job.health.level !== "ok" && job.lag ? "warn" : ""}
      note=${job.lag > job.per_second && job.per_second ? `${duration((1000 * job.lag) / job.per_second)} at this rate` : "records waiting"} />
    <${Tile} title=${late.length > 1 ? `Watermark ${late[1]}` : "Watermark"} value=${late[0]} hint=${exactWatermark(job.watermark_ms)}
      note=${job.watermark_ms === null ? "none" : exactWatermark(job.watermark_ms)} />
    <${Tile} title="Last micro-batch" value=${last ? duration(last.duration_ms) : "–"}
      note=${last ? `${short(last.rows)} records, ${ago(last.began_ms + last.duration_ms, job.now_ms)}` : "none yet"} />
    <${Tile} title="Last checkpoint" value=${last ? ago(last.began_ms + last.duration_ms, job.now_ms) : "–"}
      note=${`${count(job.completed)} in this run`} hint=${job.checkpoint_dir || "temporary directory"} />
    <${Tile} title="Restarts" value=${count(job.restarts)} kind=${job.restarts ? "warn" : ""}
      note=${job.failures.length ? job.failures[job.failures.length - 1].name : "no failures"} />
  </section>`;
}

function Heading({ job }) {
  return html`<section class="heading">
    <h1>${job.name}</h1>
    <p class="flow">${job.flow}</p>
    <p class=${`health ${job.health.level}`} role="status"><span class="status">${job.status.toLowerCase()}</span>${job.health.text}</p>
    <p class="quiet">Since ${moment(job.began_ms)}, ${duration(job.duration_ms)}${job.ended_ms ? `, until ${moment(job.ended_ms)}` : ""}.${" "}
      ${job.is_over ? "" : job.activity.join("; ")}</p>
  </section>`;
}

const Section = ({ title, children, note }) =>
  html`<section class="card"><h2>${title}${note ? html` <small>${note}</small>` : null}</h2>${children}</section>`;

const Fold = ({ name, title, children }) => html`<details class="card" open=${!!state.open[name]}
  onToggle=${(event) => event.target === event.currentTarget && event.target.open !== !!state.open[name] && toggle(name)(event.target.open)}>
  <summary><h2>${title}</h2></summary>${state.open[name] ? children : null}</details>`;

function Job({ job }) {
  const recent = job.batches.slice(-60);
  const lags = job.samples.map(([ms, , lag]) => [ms, lag]);
  return html`<main class=${state.error ? "stale" : ""}>
    <${Heading} job=${job} />
    <${Tiles} job=${job} />
    <${Section} title="Job graph">
      <${Graph} job=${job} width=${state.width} chosen=${state.chosen}
        choose=${(operator) => set({ chosen: state.chosen === operator ? null : operator, open: { ...state.open, metrics: true } })} />
    <//>
    <section class="charts">
      <${Line} title="Records per second" kind="records" points=${rates(job.samples)} now=${rate(job.per_second)} format=${perSecond} />
      <${Line} title="Lag" kind="lag" points=${lags} now=${short(job.lag)} format=${short} />
      <${Bars} title="Micro-batches" batches=${recent} now=${recent.length ? duration(recent[recent.length - 1].duration_ms) : "–"} />
    </section>
    <${Section} title="Partitions"><${Partitions} job=${job} open=${!!state.open.partitions} toggle=${toggle("partitions")} /><//>
    <${Section} title="Micro-batches" note="each is a checkpoint"><${Batches} job=${job} open=${!!state.open.batches} toggle=${toggle("batches")} /><//>
    <${Section} title="Failures and restarts"><${Failures} job=${job} /><//>
    <${Fold} name="metrics" title="Metrics"><${Metrics} job=${job} chosen=${state.chosen} wanted=${state.wanted}
      want=${(wanted) => set({ wanted })} choose=${(chosen) => set({ chosen })} /><//>
    <${Fold} name="settings" title="Settings"><${Settings} job=${job} /><//>
    <footer>Updated ${moment(job.now_ms)}. The same as JSON, as Flink has it:${" "}
      <a href=${`jobs/${job.id}`}>job</a> · <a href=${`jobs/${job.id}/plan`}>plan</a> · <a href=${`jobs/${job.id}/checkpoints`}>checkpoints</a> ·${" "}
      <a href=${`jobs/${job.id}/exceptions`}>exceptions</a> · <a href=${`jobs/${job.id}/metrics`}>metrics</a></footer>
  </main>`;
}

function Page() {
  const { job, jobs, error } = state;
  return html`<${Header} job=${job} />
    ${error && html`<div class="banner" role="alert">${error}${state.answered ? ` Last seen ${moment(state.answered)}.` : ""}</div>`}
    ${job ? html`<${Job} job=${job} key=${job.id} />`
      : html`<main><p class="quiet empty">${jobs ? "No job has started yet." : error ? "" : "Asking the driver …"}</p></main>`}`;
}

const root = document.getElementById("page");

function draw() {
  document.title = state.job ? `${state.job.name} – ${state.job.status.toLowerCase()}` : "kafkastream";
  render(html`<${Page} />`, root);
}

function measure() {
  const style = getComputedStyle(document.documentElement);
  const outer = Math.min(document.documentElement.clientWidth, parseFloat(style.getPropertyValue("--page")));
  const width = outer - 2 * parseFloat(style.getPropertyValue("--edge")) - 2 * parseFloat(style.getPropertyValue("--pad")) - 4;
  if (width !== state.width) set({ width });
}

addEventListener("resize", measure);
addEventListener("hashchange", ask);
document.addEventListener("visibilitychange", ask);
measure();
ask();
setInterval(ask, EVERY_MS);
