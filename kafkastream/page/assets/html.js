// Preact with htm's templates: what is written as html`…` is escaped.
import { h, render } from "./preact.js";
import htm from "./htm.js";

export const html = htm.bind(h);
export { render };
