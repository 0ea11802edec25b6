"use strict";
// Columns of the DAG say what is in them; single rows are followed. All is shown as text.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const nodes = [...document.querySelectorAll(".node")];
  const panel = document.getElementById("node");
  const SHOWN = 6;
  let kept = -1;

  const make = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  };

  const share = (n, of) => `${n} rows (${(100 * n / Math.max(of, 1)).toPrecision(3)} %)`;

  const tree = (one) => {
    const list = document.createElement("dl");
    for (const [rule, votes] of one.rules) {
      list.append(make("dt", votes), make("dd", rule));
    }
    const parts = one.for ? [make("p", `votes for ${one.for}:`), list] : [list];
    if (one.more > 0) parts.push(make("p", `and ${one.more} more leaves with smaller votes`));
    return parts;
  };

  const member = (one, group) => {
    const parts = [make("h4", `${one.name}: evaluated on ${share(one.rows, group.all)}`)];
    for (const t of one.trees) parts.push(...tree(t));
    if (one.more > 0) parts.push(make("p", `and ${one.more} more trees`));
    return parts;
  };

  const show = (g, everything) => {
    const group = data.groups[g];
    const what = group.members.length > 1 ? "Base classifiers" : "Base classifier";
    const title = `${what} ${group.name} in the order of evaluation`;
    const counts = `${share(group.rows, group.all)} come here, ${share(group.quit, group.all)} quit here.`;
    const members = everything ? group.members : group.members.slice(0, SHOWN);
    const parts = [make("h3", title), make("p", counts)];
    for (const one of members) parts.push(...member(one, group));
    const left = group.members.length - members.length;
    if (left > 0) {
      const more = make("button", `Show ${left} more`);
      more.addEventListener("click", () => { keep(g); show(g, true); });
      parts.push(more);
    }
    panel.replaceChildren(...parts);
  };

  const keep = (g) => {
    kept = g;
    nodes.forEach((node, k) => node.classList.toggle("kept", k === g));
  };

  const focus = (g) => {
    const to = Math.min(Math.max(g, 0), nodes.length - 1);
    nodes.forEach((node, k) => node.setAttribute("tabindex", k === to ? "0" : "-1"));
    nodes[to].focus();
  };

  const KEYS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  nodes.forEach((node, g) => {
    node.addEventListener("mouseenter", () => { if (kept < 0) show(g, false); });
    node.addEventListener("focus", () => { if (kept < 0) show(g, false); });
    node.addEventListener("click", () => { keep(kept === g ? -1 : g); show(g, false); });
    node.addEventListener("keydown", (event) => {
      if (event.key in KEYS) {
        event.preventDefault();
        keep(-1);
        focus(g + KEYS[event.key]);
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        keep(kept === g ? -1 : g);
        show(g, false);
      }
    });
  });

  if (nodes.length > 0) show(0, false);

  const follow = document.getElementById("follow");
  if (follow) {
    follow.addEventListener("change", () => {
      const chosen = follow.value;
      for (const one of document.querySelectorAll(".instance")) {
        one.hidden = one.dataset.instance !== chosen;
      }
      const path = chosen === "" ? [] : data.paths[Number(chosen)];
      document.getElementById("river").classList.toggle("followed", path.length > 0);
      nodes.forEach((node, g) => node.classList.toggle("on", path.includes(g)));
    });
  }
})();
