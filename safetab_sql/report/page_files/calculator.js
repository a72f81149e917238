// Any figure that a reader asks for: the answer with its exact interval, its link, CSV and picture. Uses the functions of
// fields.js, counts.js, charts.js and map.js. Texts are only ever set as text.

const mostDrawn = 60; // figures in the picture and the table; the CSV has all

// --- figures as text ---

const fixed = (number, digits) => {
  const text = number.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace(/\B(?=(\d{3})+(?!\d)(?<!\.\d*))/g, ",");
};
const figureText = (kind, isShare, number) => {
  if (!Number.isFinite(number)) return "–";
  if (kind === "growth" || (kind === "ratio" && isShare)) return `${fixed(100 * number, 2)} %`;
  return fixed(number, { ratio: 4, quantile: 2 }[kind] ?? 0);
};
const possible = ({ estimate, low, high }) => Math.min(high, Math.max(low, estimate)); // of a share, which noise may take below 0
const chanceText = (p) => (p < 0.0001 ? told("tiny", { number: fixed(0.0001, 4) }) : fixed(p, 4));
// Whether there is a difference, in words: the interval leaves out 0, or noise alone could make it.
const verdictOf = ({ low, high }) => words.calculator[low > 0 || high < 0 ? "real" : "noise"];
// One number less another, whose noise is independent: the ends of its interval lie as far away as the uncut ends of both lie
// from their numbers, squared and added (Zou and Donner 2008), and are cut to what a difference can be. Where there are none,
// all that is allowed.
const differenceOf = (one, other) => {
  const count = one.count - other.count;
  if (!one.uncut || !other.uncut) return { count, low: one.allowed[0] - other.allowed[1], high: one.allowed[1] - other.allowed[0] };
  const [a, b] = [one.uncut, other.uncut];
  const low = a.count - b.count - Math.hypot(a.count - a.low, b.high - b.count);
  const high = a.count - b.count + Math.hypot(a.high - a.count, b.count - b.low);
  return { count, low: Math.floor(Math.max(low, -other.most)), high: Math.ceil(Math.min(high, one.most)) };
};
// The difference of two shares in words, in points of a per cent to two decimals.
const pointsApart = (rows) => {
  const [one, other] = rows.map(({ answer: { estimate, low, high, uncut } }) => {
    const [count, ...ends] = [estimate, low, high, ...(uncut ?? [])].map((end) => 1e4 * end);
    return { count, allowed: uncut === null ? [0, 1e4] : ends.slice(0, 2), uncut: uncut && { count, low: ends[2], high: ends[3] }, most: 1e4 };
  });
  const { count, low, high } = differenceOf(one, other);
  const points = (value) => fixed(value / 100, 2);
  return told("apart", { count: points(count), span: spanText(points, { low, high }), verdict: verdictOf({ low, high }) });
};
const amountText = (value, decimals) => fixed(value / 10 ** decimals, decimals);
const spanText = (shown, { low, high }) => {
  if (Number.isFinite(low) && Number.isFinite(high)) return say("span", { low: shown(low), high: shown(high) });
  return Number.isFinite(low) ? told("and_more", { low: shown(low) }) : "–";
};

const rangeText = (first, last, maximum) => (Number(last) === maximum ? `${first}+` : `${first}–${last}`);
// What is wanted of an attribute, or the range next to it of which a table has the groups.
const nearestText = ({ attribute, groups }, text) => {
  const [ranges, wanted] = [groups.filter(({ first }) => first !== undefined), [...(wantedValues(attribute, text) ?? [])]];
  if (!ranges.length || !wanted.length) return groups.find((each) => each.text === text)?.label ?? words.calculator.all;
  const next = (list, name, end) => list.reduce((best, each) => (Math.abs(each[name] - end) < Math.abs(best[name] - end) ? each : best));
  const start = next(ranges, "first", attribute.minimum + Math.min(...wanted));
  const end = next(ranges.filter(({ last }) => last >= start.last), "last", attribute.minimum + Math.max(...wanted));
  return start === end ? start.label : rangeText(start.first, end.last, attribute.maximum);
};
// A note on a figure: of what a table does not have, with what it has.
const noteOf = (own, { counts, terms }, note) => {
  if (!["in_part", "total_only"].includes(note)) return words.calculator[`note_${note}`];
  const isRefused = ({ group, chosen }) => (note === "total_only" ? !group.level : chosen.some((each) => each && !each.isWhole));
  const { group, chosen, iteration } = terms.groups.find(isRefused);
  const { release, ladder, values } = counts[Math.max(0, chosen.findIndex((each) => each && !each.isWhole))];
  const [about, named] = [own.data.releases[release].ladders[ladder], own.groups[iteration].label];
  if (note === "total_only") return told("note_total_only", { group: named, what: about.attributes.map(({ title }) => title).join(", no ") });
  const all = dimensionsOf(about, group.level);
  const asked = all.filter(({ attribute }) => values[attribute.name]);
  const ranges = (asked.length ? asked : all).map(({ attribute, groups }) => `${attribute.title} ${groups.map(({ label }) => label).join(", ")}`);
  const nearest = asked.map((each) => `${each.attribute.title} ${nearestText(each, values[each.attribute.name])}`);
  return told("note_in_part", { group: named, ranges: ranges.join("; "), nearest: nearest.join(", ") || words.calculator.all });
};

// --- what is asked for, and its link ---

// { kind, share, attribute, each, first, other }: each is "", "regions" or "groups"; other holds what of the other count differs
// from the first one.
const linkOf = ({ kind, share, attribute, each, first, other }) => {
  const more = { ...(kind === "quantile" ? { share, of: attribute } : {}), other: isPair(kind) ? JSON.stringify(other) : "" };
  return { ask: kind, each, count: JSON.stringify(first), ...more };
};
// What a part of a link says; nothing where it is none.
const partOf = (text) => {
  try {
    const found = JSON.parse(text);
    const isList = (value) => value === undefined || value === everything || Array.isArray(value);
    return isList(found.regions) && isList(found.groups) ? found : {};
  } catch {
    return {};
  }
};

// --- the answer ---

// The intervals of rows, as wide as there is room: names stand before the lines, or above them on a narrow page. title: or nothing.
const pictureOf = (title, rows, source, width) => {
  const isNarrow = width < 560;
  const widest = longest(rows.map(({ label }) => label), 13) + 34;
  const [line, room, right] = isNarrow ? [44, 24, 24] : [26, Math.min(0.42 * width, widest), 50];
  const titles = title ? lines(title, width - 10, 15) : [];
  const top = 22 * titles.length + (title ? 14 : 0);
  const drawn = rows.filter(({ answer }) => Number.isFinite(answer.low) && Number.isFinite(answer.high));
  const ends = drawn.flatMap(({ answer }) => [answer.low, answer.high]);
  const spread = Math.max(...ends) - Math.min(...ends) || Math.abs(ends[0]) || 1;
  const [least, most] = [Math.min(...ends) - spread / 20, Math.max(...ends) + spread / 20];
  const at = (number) => room + ((number - least) / (most - least)) * (width - room - right);
  const height = top + line * rows.length + 50;
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "system-ui, sans-serif", "font-size": 13 });
  const text = textInto(svg);
  const fitting = (label, most_ = (isNarrow ? width : room) - 30) => {
    const halves = lines(label, most_ / 2 - 10, 13); // names may differ at their ends
    return widthOf(label, 13) > most_ ? `${halves[0]} … ${halves.at(-1)}` : label;
  };
  svg.append(element("rect", { width, height, fill: "var(--paper)" }));
  titles.forEach((said, number) => text(4, 20 + 22 * number, said, { "font-size": 15, "font-weight": 600 }));
  rows.forEach((row, number) => {
    const { label, answer } = row;
    const y = top + line * (number + 1) - 13;
    text(4, y - (isNarrow ? 18 : -5), fitting(label));
    if (!drawn.includes(row)) return text(room, y + 5, words.calculator.unknown, { fill: "var(--soft-ink)" });
    const [low, high] = [at(answer.low), at(answer.high)];
    svg.append(element("path", { d: `M${low},${y - 5}v10M${low},${y}H${high}M${high},${y - 5}v10`, fill: "none", stroke: "var(--series-1)", "stroke-width": 2 }));
    if (Number.isFinite(answer.estimate)) svg.append(element("circle", { cx: at(answer.estimate), cy: y, r: 4.5, fill: "var(--series-1)" }));
  });
  const axis = top + line * rows.length + 4;
  svg.append(element("path", { d: `M${room},${axis}H${width - right}`, stroke: "var(--soft-ink)" }));
  for (const mark of ticksOf(least, most, isNarrow ? 3 : 4)) {
    svg.append(element("path", { d: `M${at(mark)},${axis}v5`, stroke: "var(--soft-ink)" }));
    text(at(mark), axis + 19, drawn[0].axis(mark), { "text-anchor": "middle", fill: "var(--soft-ink)", "font-size": 12 });
  }
  if (title) text(4, height - 6, source, { fill: "var(--soft-ink)", "font-size": 11 });
  return svg;
};

// Some round numbers between two, about so many.
const ticksOf = (least, most, number) => {
  const raw = (most - least) / number;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * [1, 2, 5, 10].find((each) => each * unit >= raw);
  return Array.from({ length: 8 }, (_, place) => (Math.ceil(least / step) + place) * step).filter((tick) => tick <= most);
};

const saved = (name, blob) => {
  const link = made("a", "", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

const savedPicture = async (svg, name) => {
  const style = getComputedStyle(root);
  const text = new XMLSerializer().serializeToString(svg).replace(/var\((--[\w-]+)\)/g, (_, own) => style.getPropertyValue(own).trim());
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const [width, height] = [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height];
  const canvas = made("canvas", "", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  canvas.toBlob((blob) => saved(name, blob), "image/png");
};

const csvOf = (rows) => {
  const cell = (value) => (/[",\n\r]/.test(value) || /^[=+@]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  return [Object.keys(rows[0]), ...rows.map(Object.values)].map((row) => row.map((value) => cell(String(value))).join(",")).join("\r\n") + "\r\n";
};

// --- the form and its answer ---

const calculator = async (own, title, begun) => {
  const { data } = own;
  const [form, place] = [byId("ask"), byId("answer")];
  const offers = offersOf(own);
  const several = data.releases.length > 1;
  const kinds = ["count", "ratio", "difference", ...(several ? ["growth"] : []), "quantile", "rank"];
  const first_ = { release: 0, ladder: 0, type: 0, regions: [], groups: [], values: {} };
  const lists = ["regions", "groups"]; // preset: those of the first count in which nobody has picked
  const state = { kind: "count", share: "0.5", attribute: "", each: "", first: first_, kept: [], other: {}, preset: lists };
  let asked = 0; // how often something was asked: answers that come late are dropped

  const other = () => ({
    ...state.first,
    ...(state.kind === "ratio" ? { values: {} } : {}),
    ...(state.kind === "growth" && several ? { release: 1 } : {}),
    ...(state.kind === "difference" && !Object.keys(state.other).length ? { groups: [] } : {}),
    ...state.other,
  });
  // What a reader picks first in a list takes the place of what stands there, which nobody picked.
  const picked = (change, before, isOwn) => {
    const isFirst = (name, values) => lists.includes(name) && name !== state.each && values !== everything && !isOwn(name) && values.length > before[name].length;
    return Object.fromEntries(Object.entries(change).map(([name, values]) => [name, isFirst(name, values) ? values.slice(-1) : values]));
  };
  const numbers = () => data.releases[0].ladders[state.first.ladder].attributes.filter(({ isOfNumbers }) => isOfNumbers);
  const expanded = async (count) => {
    const known = await offers(count);
    const all = (name) => (count[name] === everything ? known[name].map(({ code }) => code) : count[name]);
    return { ...count, regions: all("regions"), groups: all("groups") };
  };

  const ranksRegions = () => state.kind === "rank" && state.each === "regions";
  // While regions are ranked, all of them take the place of the one that was picked.
  const asking = (changed) => {
    if (ranksRegions() && state.first.regions === everything) state.first.regions = state.kept;
    Object.assign(state, changed(state.first.regions));
    if (ranksRegions() && state.first.regions.length < 2) [state.kept, state.first.regions] = [state.first.regions, everything];
  };
  const kind = single("ask-kind", words.calculator.kind, (value) => {
    asking((regions) => ({ kind: value, other: {}, each: value === "rank" || regions === everything ? "regions" : "" }));
    const { regions, groups } = state.first;
    if (value === "quantile") state.first.groups = groups === everything ? [] : groups.slice(0, 1);
    if (value === "quantile" && regions !== everything) state.first.regions = regions.slice(0, 1);
    refresh();
  });
  const share = single("ask-share", words.calculator.share, (value) => refresh({ share: value }));
  const attribute = single("ask-attribute", words.calculator.attribute, (value) => refresh({ attribute: value }));
  const each = single("ask-each", words.calculator.each, (value) => refresh(asking(() => ({ each: value }))));
  const isOne = (name) => state.kind === "quantile" && state.each !== name;
  const part = (ending, changed) => {
    const [fields, legend] = [countFields(own, ending, isOne, changed), made("legend", "")];
    return { ...fields, holder: made("fieldset", "", {}, legend, fields.holder), legend };
  };
  const first = part("", (change) => {
    const isOther = "type" in change && state.first.regions === everything; // all regions of the one type: all of the other
    const own_ = picked(change, state.first, (name) => !state.preset.includes(name));
    const preset = state.preset.filter((name) => !(name in change));
    refresh({ preset, kept: "type" in change ? [] : state.kept, first: { ...state.first, ...own_, ...(isOther ? { regions: everything } : {}) } });
  });
  const second = part("-other", (change) => refresh({ other: { ...state.other, ...picked(change, other(), (name) => name in state.other) } }));
  second.holder.append(pressed(words.calculator.as_first, () => refresh({ other: state.kind === "difference" ? { groups: state.first.groups } : {} })));
  form.append(made("div", "", { className: "fields" }, kind.holder, share.holder, attribute.holder), first.holder, second.holder, each.holder);
  form.addEventListener("submit", (event) => event.preventDefault());

  const showForm = async () => {
    const isQuantile = state.kind === "quantile";
    const named = kinds.filter((name) => name !== "quantile" || numbers().length).map((name) => [name, words.calculator[`kind_${name}`]]);
    kind.show(named, state.kind);
    const sorted = isQuantile ? Object.keys(shares).sort() : [];
    share.show(sorted.map((name) => [name, words.calculator[`share_${name.slice(2)}`]]), state.share);
    attribute.show(isQuantile ? numbers().map(({ name, title: text }) => [name, text]) : [], state.attribute || numbers()[0]?.name);
    const eachNames = ["", "regions", "groups"].slice(Number(state.kind === "rank"));
    each.show(eachNames.map((name) => [name, words.calculator[`each_${name || "none"}`]]), state.each);
    first.legend.textContent = isPair(state.kind) ? words.calculator[`first_${state.kind}`] : "";
    first.show(state.first, await sizedOffers(own, offers, state.first));
    second.holder.hidden = !isPair(state.kind);
    if (!isPair(state.kind)) return;
    second.legend.textContent = words.calculator[`other_${state.kind}`];
    second.show(other(), await sizedOffers(own, offers, other()));
  };

  // Whether the other count is the same for each region, or for each group.
  const isOwn = () => state.each in state.other || (state.each === "regions" && "type" in state.other);

  // --- names of what is asked for ---

  const namesOf = async (count, left = "") => {
    const known = await offers(count);
    const listed = (name, what) => {
      if (left === name) return "";
      if (count[name] === everything || count[name].length > 3)
        return told(what, { number: whole(count[name] === everything ? known[name].length : count[name].length) });
      return count[name].map((value) => known[name].find(({ code }) => code === value)?.label ?? value).join(" + ");
    };
    const ladder = data.releases[count.release].ladders[count.ladder];
    const values = ladder.attributes
      .filter(({ name }) => count.values[name])
      .map(({ name, title: text, options, maximum }) => {
        const value = options.find(([code]) => code === count.values[name])?.[1] ?? count.values[name].replace(/^(-?\d+)-(-?\d+)$/, (_, from, to) => rangeText(from, to, maximum));
        return `${text} ${value}`;
      });
    const [groups, regions] = [listed("groups", "groups_in_all"), listed("regions", "regions_in_all")];
    return [groups, values.join(", "), regions, several ? data.releases[count.release].name : "", ladder.isSum ? ladder.title : ""].filter(Boolean);
  };
  const titleOf = async () => {
    const about = await namesOf(state.first, state.each);
    const isQuantile = state.kind === "quantile";
    const of = isQuantile ? `: ${(numbers().find(({ name }) => name === state.attribute) ?? numbers()[0]).title}` : "";
    const name = `${words.calculator[isQuantile ? `share_${state.share.slice(2)}` : `kind_${state.kind}`]}${of}`;
    const others = isPair(state.kind) ? (await namesOf(other(), isOwn() ? "" : state.each)).filter((each_) => !about.includes(each_)) : [];
    const beside = isPair(state.kind) ? ` ${words.calculator[`than_${state.kind}`]} ${others.map((text) => (text.includes(" + ") ? told("together", { what: text }) : text)).join(", ") || words.calculator.them_all}` : "";
    return `${name}: ${about.join(", ")}${beside}`;
  };

  // --- answers ---

  // Amounts are in the unit of the file, though they are added up in that of their last decimal.
  const textsOf = ({ kind: name, isPart, counts, answer, attribute: of, terms }) => {
    const [one, other_ = one] = counts.map((count) => data.releases[count.release].ladders[count.ladder]);
    const decimals = { count: one.decimals, difference: one.decimals, ratio: one.decimals - other_.decimals }[name] ?? 0;
    const scaled = (value) => value / 10 ** decimals;
    const shown = (value) => (one.decimals && ["count", "difference"].includes(name) ? fixed(value, one.decimals) : figureText(name, one.isSum === other_.isSum, value));
    return {
      answer: { ...answer, estimate: scaled(isPart && name === "ratio" ? possible(answer) : answer.estimate), low: scaled(answer.low), high: scaled(answer.high) },
      shown,
      wide: name === "quantile" && isKnown(answer) && wideClass(one, terms.groups[0].group.level, of, answer.estimate),
      axis: (value) => shown(value).replace(/(\.\d*?)0+(?= %|$)/, (_, digits) => digits.replace(/\.$/, "")),
    };
  };

  const wanted = async () => {
    const counts = [await expanded(state.first), ...(isPair(state.kind) ? [await expanded(other())] : [])];
    const made_ = (own_) => ({ kind: state.kind, share: state.share, attribute: state.attribute || numbers()[0]?.name, counts: own_ });
    if (!state.each) return [{ label: "", ...made_(counts) }];
    const known = await offers(state.first);
    const names = new Map(known[state.each].map(({ code, label }) => [code, label]));
    const oneOf = (value) => counts.map((count, side) => (side && isOwn() ? count : { ...count, [state.each]: [value] }));
    return counts[0][state.each].map((value) => ({ label: names.get(value) ?? value, ...made_(oneOf(value)) }));
  };

  const tableOfRows = (rows, what) => {
    const hasChance = rows.some(({ answer }) => !Number.isNaN(answer.p));
    const heads = [what, words.calculator.estimate, words.calculator.interval, ...(hasChance ? [words.calculator.p] : [])];
    const chance = ({ p }) => (hasChance ? [Number.isNaN(p) ? "–" : chanceText(p)] : []);
    const cells = rows.map(({ label, answer, shown, wide }) => [label, wide ? fixed(answer.estimate, 0) : shown(answer.estimate), spanText(shown, answer), ...chance(answer)]);
    return made("div", "", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: words.calculator.answers }, tableOf(heads, cells));
  };

  const sentenceOf = ({ answer, shown, axis, notes, wide }) => {
    const found = made("p", "", { className: "figure" });
    if (!isKnown(answer)) found.append(made("strong", words.calculator.unknown));
    else if (wide) found.append(made("strong", spanText(axis, answer)), made("span", wide));
    else {
      found.append(made("strong", Number.isFinite(answer.estimate) ? shown(answer.estimate) : spanText(shown, answer)));
      if (Number.isFinite(answer.estimate)) found.append(made("span", say("interval", { span: spanText(shown, answer) })));
      if (["difference", "growth"].includes(state.kind) && !notes.includes("same")) found.append(made("span", verdictOf(answer)));
    }
    return found;
  };

  const csvRow = (row) => {
    const [ESTIMATE, LOW, HIGH, P_VALUE] = ["estimate", "low", "high", "p"].map((name) => (Number.isFinite(row.answer[name]) ? row.answer[name] : ""));
    return { NAME: row.label, ...wantedOf(own, row, (release) => data.releases[release].name), ESTIMATE, LOW, HIGH, P_VALUE, NOTE: row.notes.map((name) => noteOf(own, row, name)).join("; ") };
  };

  const buttons = (rows, picture) => {
    const link = made("a", words.calculator.link, { href: view.link(linkOf(state)) });
    const csv = pressed("CSV", () => saved("figures.csv", new Blob(["\ufeff", csvOf(rows.map(csvRow))], { type: "text/csv" })));
    const png = picture ? [pressed("PNG", () => savedPicture(picture(), "figures.png"))] : [];
    return made("div", "", { className: "take" }, link, csv, ...png, ...copyButtons(own, rows));
  };

  const showAnswer = async () => {
    const number = (asked += 1);
    place.dataset.answered = "";
    try {
      const listed = await wanted();
      const isPicked = (count) => count.regions.length && count.groups.length;
      const isRank = state.kind === "rank";
      const isWhole = listed.length > Number(isRank) && isPicked(state.first) && (!isPair(state.kind) || isPicked(other()));
      const found = isWhole ? await answersTo(own, listed) : [];
      const name = await titleOf();
      if (number !== asked) return;
      const rows = found.map((each_, row) => ({ ...each_, label: listed[row].label, ...textsOf(each_) }));
      const order = ({ answer }) => (Number.isNaN(answer.estimate) ? Infinity : answer.estimate * (isRank ? 1 : -1));
      if (state.each) rows.sort((a, b) => order(a) - order(b));
      const shown = rows.slice(0, mostDrawn);
      const parts = [made("h3", name)];
      if (!rows.length) parts.push(made("p", words.calculator[!isPicked(state.first) ? "nothing_picked" : isRank ? `one_of_${state.each}` : "no_second"]));
      if (rows.length === 1) parts.push(sentenceOf(rows[0]));
      const notes = new Set(shown.flatMap((row) => row.notes.map((note) => noteOf(own, row, note))));
      for (const { groups } of shown.flatMap(({ counts }) => counts)) {
        const few = groups.length < 10 ? groups.map((code) => own.groups[own.codes.get(code)]) : [];
        const pairs = few.flatMap((one) => few.filter((wide) => isWithin(one, wide)).map((wide) => ({ part: one.label, whole: wide.label, many: data.many })));
        if (groups.length > 1) for (const text of pairs.length ? pairs.map((each_) => told("note_part", each_)) : [words.calculator.note_overlap]) notes.add(text);
      }
      if (rows.some(({ kind: name_, answer }) => name_ === "count" && answer.low < 0)) notes.add(words.calculator.note_below_zero);
      if (rows.length > 1 && !isRank) notes.add(words.calculator.note_chosen);
      const isDrawn = shown.some(({ answer }) => Number.isFinite(answer.low) && Number.isFinite(answer.high));
      const drawn = shown.map((row) => ({ ...row, label: row.label || words.calculator.interval }));
      if (isDrawn) {
        const picture = pictureOf("", drawn, "", Math.min(736, Math.max(280, place.clientWidth)));
        parts.push(made("div", "", { className: "drawing", role: "img", ariaLabel: told("picture", { title: name }) }, picture));
        parts.at(-1).dataset.drawn = "yes";
      }
      if (rows.length > 1) parts.push(tableOfRows(shown, capital(words.calculator[`each_${state.each || "none"}`])));
      const isApart = rows.length === 2 && !isOwn() && rows.every(({ kind: name_, isPart, answer }) => name_ === "ratio" && isPart && Number.isFinite(answer.estimate));
      if (isApart) parts.push(made("p", pointsApart(rows)));
      if (rows.length > shown.length) parts.push(made("p", told("more_rows", { shown: shown.length, number: whole(rows.length) })));
      for (const note of notes) parts.push(made("p", note, { className: "note" }));
      if (rows.length) parts.push(buttons(rows, isDrawn && (() => pictureOf(name, drawn, `${title} · ${words.calculator.source}`, 720))));
      place.replaceChildren(...parts);
    } catch (error) {
      place.replaceChildren(made("p", error.message, { className: "warning" }));
      if (!(error instanceof Unreadable)) console.error(error);
    }
    place.dataset.answered = String(number);
  };

  onWidth(place, () => showAnswer());

  const refresh = async (change = {}, isLinked = true) => {
    Object.assign(state, change);
    await showForm();
    if (isLinked) view.set(linkOf(state));
    await showAnswer();
  };

  // What the link asks for, or else the group that is shown above.
  const link = view.get();
  const [count, more] = [{ ...state.first, ...partOf(link.count) }, partOf(link.other)];
  const isKnown_ = ({ release, ladder, type }) => data.releases[release]?.ladders[ladder]?.types[type] !== undefined;
  const firstOf = ({ ladder, type, region, code }) => {
    const own_ = data.releases[0].ladders[ladder].isExact ? ladder : data.releases[0].ladders.findIndex(({ isExact }) => isExact);
    return { release: 0, ladder: own_, type, regions: [region], groups: [code], values: {} };
  };
  if (kinds.includes(link.ask) && count.regions.length && count.groups.length && isKnown_(count) && isKnown_({ ...count, ...more })) {
    const named = { share: link.share in shares ? link.share : state.share, each: ["regions", "groups"].includes(link.each) ? link.each : "" };
    Object.assign(state, { kind: link.ask, first: count, other: more, preset: [], ...named });
    state.attribute = numbers().some(({ name }) => name === link.of) ? link.of : "";
    await refresh({}, false);
    byId("calculator").scrollIntoView();
  } else await refresh({ first: firstOf(begun) }, false);
  const anew = (picked_) => ({ kind: "count", each: "", first: firstOf(picked_), other: {}, preset: lists });
  const begin = (field = "ask-kind") => {
    byId("calculator").scrollIntoView();
    byId(field).focus();
  };
  return {
    begin,
    follow: (picked_) => refresh(anew(picked_), false),
    compare: (picked_) => refresh({ ...anew(picked_), kind: "difference" }).then(() => begin("ask-group-other")),
  };
};

// What the console can ask, and tests do: figures one by one, each with its milliseconds.
const askedOf = (own) => {
  const known = (number) => (Number.isFinite(number) ? number : null);
  return {
    differenceOf,
    answers: async (asked) => {
      const found = [];
      for (const each of asked) {
        const started = performance.now();
        const [{ answer: { estimate, low, high, p }, notes }] = await answersTo(own, [each]);
        found.push([...[estimate, low, high, p].map(known), notes, performance.now() - started]);
      }
      return found;
    },
    copies: async (asked) => copiesOf(own, await answersTo(own, asked)),
    ranks: async (asked) => (await answersTo(own, asked)).map(({ answer }) => [answer.estimate, answer.low, answer.high].map(known)),
  };
};
