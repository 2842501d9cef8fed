"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("graph"), draw = canvas.getContext("2d");
  const about = document.getElementById("about"), back = document.getElementById("back"), search = document.getElementById("search");
  const intro = about.textContent;
  const row = 19, n = data.parent.length;
  const kindNames = ["Go", "C", "C++", "crossing", "kernel", "Rust"];

  // Children of each node, and how deep it is. A node comes behind its parent.
  const children = Array.from({ length: n + 1 }, () => []), depth = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const p = data.parent[i];
    children[p < 0 ? n : p].push(i);
    depth[i] = p < 0 ? 0 : depth[p] + 1;
  }
  let type = 0, zoom = n, found = null, over = -1, boxes = [], colour = {};
  const value = (i) => data.values[type][i];
  const total = () => children[n].reduce((sum, i) => sum + value(i), 0);

  function colours() {
    const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(name).trim();
    colour = { kinds: [0, 1, 2, 3, 4, 5].map((k) => get("--k" + k)), on: get("--on"), page: get("--page"), ink: get("--ink"), dim: get("--dim"), soft: get("--soft"),
      more: get("--more"), less: get("--less"), same: get("--same") };
  }

  const units = {
    nanoseconds: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
    bytes: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]],
    count: [[1, ""]],
  };
  function amount(v) {
    for (const [size, unit] of units[data.units[type]])
      if (size === 1 || Math.abs(v) >= size) return (size === 1 ? v : (v / size).toPrecision(3)) + (unit && " " + unit);
  }
  const percent = (v, of) => (of ? (100 * v / of).toFixed(1) : "0") + " %";

  // layout finds the boxes that can be seen: those of at least a third of a pixel.
  function layout(width) {
    boxes = [];
    let deepest = 0, top = 0;
    const path = [];
    for (let i = zoom; i < n && i >= 0; i = data.parent[i]) path.unshift(i);
    for (const i of path) boxes.push({ i, x: 0, y: top++ * row, w: width, above: i !== zoom });
    deepest = top - 1;
    const place = (i, x, w, y) => {
      let sum = i === n ? total() : value(i);
      if (sum <= 0) return;
      for (const c of children[i]) {
        const cw = w * value(c) / sum;
        if (cw >= 0.33) {
          boxes.push({ i: c, x, y: y * row, w: cw });
          deepest = Math.max(deepest, y);
          place(c, x, cw, y + 1);
        }
        x += cw;
      }
    };
    place(zoom, 0, width, top);
    return (deepest + 1) * row + 2;
  }

  function paint() {
    const width = canvas.clientWidth, ratio = window.devicePixelRatio || 1, height = Math.max(row, layout(width));
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw.font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
    draw.textBaseline = "middle";
    for (const b of boxes) {
      const f = data.frame[b.i], hit = !found || found[f], w = Math.max(0.4, b.w - (b.w > 3 ? 1 : 0));
      draw.globalAlpha = b.above ? 0.55 : 1;
      draw.fillStyle = hit ? fill(b.i, f) : colour.dim;
      draw.fillRect(b.x, b.y, w, row - 1);
      if (b.i === over) {
        draw.strokeStyle = colour.ink;
        draw.strokeRect(b.x + 0.5, b.y + 0.5, Math.max(0, w - 1), row - 2);
      }
      if (b.w > 28) {
        draw.fillStyle = hit ? colour.on : colour.soft;
        const label = fit(short(data.names[f]), b.w - 8);
        if (label) draw.fillText(label, b.x + 4, b.y + row / 2);
      }
    }
    draw.globalAlpha = 1;
    back.disabled = zoom === n;
  }

  // Of a comparison the colour says how much of the time a box has more, or less, than before,
  // if that is more than chance makes of so many samples (see noise in diff.go).
  function fill(i, f) {
    if (!data.before || type) return colour.kinds[data.kinds[f]];
    const now = value(i) / total(), was = data.before[i], change = now - was, [a, b] = data.samples;
    const share = (was * a + now * b) / (a + b), noise = 1.96 * Math.sqrt(share * (1 - share) * (1 / a + 1 / b));
    const strength = Math.min(100, Math.round(25 + 750 * Math.abs(change)));
    return Math.abs(change) <= noise ? colour.same : `color-mix(in srgb, ${change > 0 ? colour.more : colour.less} ${strength}%, ${colour.same})`;
  }

  // short is a name without its package's folders.
  const short = (name) => name.slice(name.lastIndexOf("/", name.search(/[({<]|$/)) + 1);
  const wide = new Map();
  function fit(text, room) {
    let w = wide.get(text);
    if (w === undefined) wide.set(text, (w = draw.measureText(text).width));
    if (w <= room) return text;
    let keep = Math.floor(text.length * room / w) - 1;
    while (keep >= 3 && draw.measureText(text.slice(0, keep) + "…").width > room) keep--; // wide letters may come first
    return keep < 3 ? "" : text.slice(0, keep) + "…";
  }

  function describe(i) {
    about.textContent = "";
    if (i < 0) {
      about.textContent = found ? matches() : intro;
      return;
    }
    const f = data.frame[i], name = document.createElement("b");
    name.textContent = data.names[f];
    let own = value(i);
    for (const c of children[i]) own -= value(c);
    about.append(name, " (" + kindNames[data.kinds[f]] + ") " + amount(value(i)) + ", " + percent(value(i), total()) + "; own " + amount(own));
    if (data.before && !type) about.append("; before " + percent(data.before[i], 1));
    if (data.places[f]) about.append("; " + data.places[f]);
  }

  // matches says what share has a function that was searched for.
  function matches() {
    let sum = 0;
    const walk = (i) => {
      for (const c of children[i]) if (found[data.frame[c]]) sum += value(c); else walk(c);
    };
    walk(n);
    return "Found in " + percent(sum, total()) + (data.units[type] === "nanoseconds" ? " of the time (" : " (") + amount(sum) + ").";
  }

  const at = (e) => {
    const r = canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
    for (const b of boxes) if (y >= b.y && y < b.y + row && x >= b.x && x < b.x + b.w) return b.i;
    return -1;
  };
  const to = (i) => { zoom = i < 0 ? n : i; paint(); };

  canvas.addEventListener("pointermove", (e) => {
    const i = at(e);
    if (i !== over) { over = i; describe(i); paint(); }
  });
  canvas.addEventListener("pointerleave", () => { over = -1; describe(-1); paint(); });
  canvas.addEventListener("click", (e) => { const i = at(e); if (i >= 0) { over = i; to(i); describe(i); } });
  back.addEventListener("click", () => to(zoom === n ? n : data.parent[zoom]));
  // The arrow keys walk the graph for those who have no pointer.
  canvas.addEventListener("keydown", (e) => {
    const same = children[over < 0 || data.parent[over] < 0 ? n : data.parent[over]].filter((i) => value(i) > 0);
    let next = over;
    switch (e.key) {
      case "ArrowDown": next = children[over < 0 ? n : over].filter((i) => value(i) > 0).sort((a, b) => value(b) - value(a))[0] ?? over; break;
      case "ArrowUp": next = over < 0 ? over : data.parent[over]; break;
      case "ArrowRight": next = same[same.indexOf(over) + 1] ?? over; break;
      case "ArrowLeft": next = same[same.indexOf(over) - 1] ?? over; break;
      case "Enter": to(over); break;
      case "Escape": to(n); break;
      default: return;
    }
    e.preventDefault();
    over = next; describe(over); paint();
  });
  document.getElementById("tools").addEventListener("submit", (e) => e.preventDefault());
  search.addEventListener("input", () => {
    found = null;
    search.setCustomValidity("");
    if (search.value) {
      try {
        const re = new RegExp(search.value, "i");
        found = data.names.map((name) => re.test(name));
      } catch {
        search.setCustomValidity("not a regular expression yet");
      }
    }
    describe(-1); paint();
  });
  if (data.types.length > 1)
    data.types.forEach((name, i) => {
      const b = document.createElement("button");
      b.type = "button";
      b.textContent = name;
      b.setAttribute("aria-pressed", String(i === type));
      b.addEventListener("click", () => {
        type = i;
        for (const other of b.parentNode.children) other.setAttribute("aria-pressed", String(other === b));
        moments.hidden = !data.moments || type !== last;
        zoom = n; over = -1; describe(-1); paint();
      });
      document.getElementById("types").append(b);
    });
  // What came between two moments, stack by stack: what others have lost meanwhile doesn't count.
  const moments = document.getElementById("moments"), last = data.types.length - 1;
  function between(from, to) {
    const own = (i, m) => children[i].reduce((v, c) => v - data.moments.values[m][c], data.moments.values[m][i]);
    const sums = new Array(n).fill(0);
    for (let i = n - 1; i >= 0; i--) {
      sums[i] += Math.max(0, own(i, to) - own(i, from));
      if (data.parent[i] >= 0) sums[data.parent[i]] += sums[i];
    }
    data.values[last] = sums;
  }
  if (data.moments) {
    const [from, to] = ["from", "to"].map((id) => {
      const s = document.getElementById(id);
      data.moments.names.forEach((name, i) => s.add(new Option(name, i, false, i === data.moments[id])));
      s.addEventListener("change", () => { between(+from.value, +to.value); zoom = n; over = -1; describe(-1); paint(); });
      return s;
    });
    between(data.moments.from, data.moments.to);
  }
  window.addEventListener("resize", paint);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours(); paint(); });
  colours();
  paint();
})();
