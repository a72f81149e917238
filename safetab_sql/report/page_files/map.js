// A map of one population group: its count, or a share of its people, by region. Uses the functions of charts.js and groups.js.
// Texts are only ever set as text.

const shades = [0.12, 0.32, 0.52, 0.74, 1]; // how strong the colour is, from the smallest values to the largest
const drawnIn = "http://www.w3.org/2000/svg";
const element = (name, attributes, ...inside) => {
  const found = document.createElementNS(drawnIn, name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  found.append(...inside);
  return found;
};

// Puts texts into a drawing.
const textInto = (svg) => (x, y, said, more = {}) => svg.append(element("text", { x, y, fill: "var(--ink)", ...more }, said));

// Values in as many classes as there are shades, each with about as many regions.
const classed = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const limits = [...new Set(shades.slice(1).map((_, place) => sorted[Math.floor(((place + 1) * sorted.length) / shades.length)]))];
  const of = (value) => limits.filter((limit) => value >= limit && limit > sorted[0]).length;
  const classes = [...new Set(sorted.map(of))];
  const ends = classes.map((each) => sorted.filter((value) => of(value) === each)).map((own) => [own[0], own.at(-1)]);
  const shade = (value) => shades[Math.round((classes.indexOf(of(value)) * (shades.length - 1)) / Math.max(1, classes.length - 1))];
  return { shade, ends };
};

const hatching = () => {
  const stroke = element("path", { d: "M0,0V8", stroke: "var(--soft-ink)", "stroke-width": 2.5 });
  return element("pattern", { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, stroke);
};

// A square of a colour, with its meaning.
const keyed = (fill, opacity, text) => {
  const inside = element("rect", { width: 18, height: 14, fill, "fill-opacity": opacity, stroke: "var(--soft-ink)" });
  return made("li", "", {}, element("svg", { width: 18, height: 14, "aria-hidden": "true" }, inside), made("span", text));
};

// The middle and the width of the largest ring of an outline.
const middleOf = (outline) => {
  const rings = outline.split("M").filter(Boolean).map((ring) => ring.replace("z", "").split(" ").map((corner) => corner.split(",").map(Number)));
  const boxes = rings.map((ring) => [0, 1].flatMap((side) => [Math.min(...ring.map((corner) => corner[side])), Math.max(...ring.map((corner) => corner[side]))]));
  const [left, right, top, bottom] = boxes.sort((a, b) => b[1] - b[0] - (a[1] - a[0]))[0];
  return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top };
};

// picked: gives what the reader picked: { ladder, code, name }. Returns a function that draws the map anew.
const mapping = async (own, maps, picked) => {
  const { data } = own;
  const [about] = data.releases;
  const [place, legend] = ["map-drawing", "map-legend"].map(byId);
  const types = maps.map((map) => about.types.findIndex(({ name }) => name === map.type));
  const chosen = { map: 0, of_map: "", ...view.get() };
  const choice = (id, name) => single(id, words[id.replace("-", "_")], (value) => {
    chosen[name] = value;
    view.set({ [name]: value });
    redraw();
  });
  const [type, measure] = [choice("map-type", "map"), choice("map-measure", "of_map")];
  byId("map-choices").append(type.holder, measure.holder);
  const optionsOf = (ladder) => ladder.attributes.flatMap(({ name, title, isOfNumbers, options, classes }) => {
    if (!isOfNumbers) return options.map(([code, label]) => [`${name}:${code}`, label]);
    return Object.values(classes)[0].map(({ text, label }) => [`${name}:${text}`, `${title} ${label}`]);
  });

  // Of each region on the map its name and, where the group has a published count there, what is measured.
  const measured = async (number, ladder, { ladder: place_, code }, of) => {
    const { ids, names } = await own.regions(0, types[number]);
    const known = await own.loaded({ release: 0, ladder: place_, type: types[number], regions: ids });
    const [attribute, ...text] = of.split(":");
    const found = [];
    for (const [region, id] of ids.entries()) {
      const group = known(id)?.groups.get(own.codes.get(code));
      const count = { release: 0, ladder: place_, type: types[number], regions: [id], groups: [code], values: {} };
      const part = { ...count, values: { [attribute]: text.join(":") } };
      const asked = attribute ? { kind: "ratio", counts: [part, count] } : { kind: "count", counts: [count] };
      const value = !group ? null : ladder.isExact ? (await answersTo(own, [asked]))[0].answer : publishedEnds(group, 0);
      found.push({ id, name: names[region], value: value && Number.isFinite(value.estimate) ? value : null });
    }
    return found;
  };

  const redraw = async () => {
    const group = picked();
    const number = maps[chosen.map] ? Number(chosen.map) : 0;
    const [map, ladder] = [maps[number], about.ladders[group.ladder]];
    const shares = ladder.isExact ? optionsOf(ladder).map(([value, name]) => [value, say("map_share", { name })]) : [];
    const measures = new Map([["", say("map_count", ladder)], ...shares]);
    const of = measures.has(chosen.of_map) ? chosen.of_map : "";
    type.show(types.map((each, place_) => [place_, about.types[each].title]), number);
    measure.show([...measures], of);
    const regions = new Map((await measured(number, ladder, group, of)).map((region) => [region.id, region]));
    for (const { value } of regions.values()) if (value && of) value.estimate = possible(value);
    const shown = (value) => (of ? figureText("ratio", true, value) : amountText(value, ladder.decimals));
    const values = [...regions.values()].filter(({ value }) => value);
    const { shade, ends } = classed(values.map(({ value }) => value.estimate));
    const svg = element("svg", { viewBox: `-2 -2 ${map.width + 4} ${map.height + 4}` });
    svg.append(hatching());
    const text = textInto(svg);
    const size = Math.max(17, (11 * map.width) / place.clientWidth); // of letters, at least 11 pixels
    for (const [id, outline] of Object.entries(map.outlines)) {
      const { name, value } = regions.get(id) ?? { name: map.names[id] };
      const fill = value ? { fill: "var(--series-1)", "fill-opacity": shade(value.estimate) } : { fill: "url(#hatch)" };
      const numbers = value && { count: shown(value.estimate), low: shown(value.low), high: shown(value.high) };
      const region = value ? say("map_value", { name, ...numbers }) : say("map_nothing", { name });
      const path = element("path", { d: outline, "fill-rule": "evenodd", ...fill }, element("title", {}, region));
      for (const kind of ["pointerenter", "click"]) path.addEventListener(kind, () => (byId("map-said").textContent = region)); // a tap, too
      svg.append(path);
      const { x, y, width, height } = middleOf(outline);
      const label = [(map.type.endsWith("STATE") && words.letters[id]) || name.split(" · ")[0], id].find((each) => height > size + 3 && widthOf(each, size) < width - 6);
      const isStrong = value && shade(value.estimate) > 0.6;
      if (label) text(x, y + size / 3, label, { "text-anchor": "middle", "font-size": size, class: isStrong ? "on-strong" : "on-map" });
    }
    place.replaceChildren(svg);
    byId("map-said").textContent = "";
    const said = { type: about.types[types[number]].title, group: group.name, what: measures.get(of) };
    place.setAttribute("aria-label", say("map_label", said));
    place.dataset.drawn = "yes";
    byId("map-name").textContent = say("map_name", said);
    const classes = ends.map(([least, most]) => keyed("var(--series-1)", shade(least), least === most ? shown(least) : say("span", { low: shown(least), high: shown(most) })));
    legend.replaceChildren(...classes, keyed("url(#hatch)", 1, of ? words.map_uncertain : words.map_absent));
    const rows = values.sort((a, b) => b.value.estimate - a.value.estimate).map(({ name, value }) => [name, ...[value.estimate, value.low, value.high].map(shown)]);
    byId("map-table").replaceChildren(tableOf([said.type, said.what, words.from, words.to], rows));
  };
  return redraw;
};
