// Numbers, times and durations as texts.

const whole = new Intl.NumberFormat("en-US");
const LAST_MS = 253402300799999; // of the year 9999: later watermarks are the end of the input

export const count = (n) => (n === null || n === undefined ? "–" : whole.format(n));

/** A number in at most five characters: 12.3k. */
export function short(n) {
  if (n === null || n === undefined) return "–";
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(n) >= size) return trim((n / size).toFixed(Math.abs(n) >= 100 * size ? 0 : 1)) + unit;
  }
  return Math.abs(n) < 10 && n % 1 !== 0 ? trim(n.toFixed(1)) : String(Math.round(n));
}

const trim = (text) => text.replace(/\.0$/, "");

export const rate = (n) => (n === null || n === undefined ? "–" : short(n) + "/s");

/** A duration in its two largest units. */
export function duration(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  let left = Math.round(ms / 1000);
  const found = [];
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    const own = Math.floor(left / size);
    left -= own * size;
    if (own || found.length) found.push(own ? `${own} ${unit}` : "");
    if (found.length === 2) break;
  }
  return found.filter(Boolean).join(" ") || "0 s";
}

export function bytes(n) {
  if (!n) return "–";
  for (const [size, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (n >= size) return `${(n / size).toFixed(1)} ${unit}`;
  }
  return `${n} B`;
}

/** A moment in the reader's time zone, with the date unless it is today's. */
export function moment(ms) {
  if (ms === null || ms === undefined) return "–";
  const at = new Date(ms);
  const time = at.toLocaleTimeString("en-GB");
  return at.toDateString() === new Date().toDateString() ? time : `${at.toLocaleDateString("en-CA")} ${time}`;
}

export const isoTime = (ms) => new Date(ms).toISOString().replace("T", " ").replace(/\.\d+Z$/, "Z");

/** How far a watermark is behind the clock. */
export function behind(watermark, now) {
  if (watermark === null || watermark === undefined) return "–";
  if (watermark > LAST_MS) return "end of input";
  const late = now - watermark;
  return late < 0 ? `${duration(-late)} ahead` : `${duration(late)} behind`;
}

export const exactWatermark = (watermark) =>
  watermark === null || watermark === undefined || watermark > LAST_MS ? "" : isoTime(watermark);

export const ago = (ms, now) => (now - ms < 1500 ? "now" : `${duration(now - ms)} ago`);
