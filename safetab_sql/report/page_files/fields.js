// The fields of the calculator's form: lists of which one or several entries are picked, and the fields of one count. Uses the
// functions of counts.js, charts.js and groups.js. Texts are only ever set as text.

const everything = "*"; // in place of a list: all regions of a type, or all groups of it
const mostOffered = 60; // in a list under a field

// --- what a text may mean of entries { label, code, also }; `also` has further names of one ---

const letters = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", ı: "i", þ: "th" }; // that are no letter with an accent
const wordsIn = (text) => {
  const plain = text.normalize("NFD").toLowerCase().replace(/[\p{M}.'’ʻʼ`´]/gu, "");
  return plain.replace(/[ßæœøđðłıþ]/g, (letter) => letters[letter]).match(/[\p{L}\p{N}]+/gu) ?? [];
};
const singular = (word) => word.replace(/(?<=..)ies$/, "y").replace(/(?<=x|ch|sh|ss)es$/, "").replace(/(?<=..[^sui])s$/, "");
// The words of a text without those in which no names differ.
const wantedIn = (text) => {
  const all = wordsIn(text);
  const some = all.filter((word) => !words.no_names.includes(word));
  return some.length ? some : all;
};
const keyOf = (wanted) => wanted.map(singular).join(" ");
const ownNames = ({ label, code, also = [] }) => [label, code, ...also];
const heldIn = (entry) => (entry.held ??= ` ${ownNames(entry).flatMap(wordsIn).flatMap((word) => [word, singular(word)]).join(" ")} `);
const has = (entry, word, start = " ") => [word, singular(word)].some((each) => heldIn(entry).includes(start + each));
// How near an entry is to words: it is called so; a name of it begins so; it has words that begin so, in any order; or parts of words.
const rankIn = (entry, wanted) => {
  entry.keys ??= ownNames(entry).map((text) => keyOf(wantedIn(text)));
  const key = keyOf(wanted);
  if (entry.keys.includes(key)) return 0;
  if (entry.keys.some((each) => each.startsWith(key))) return 1;
  return [2, 3].find((rank) => wanted.every((word) => has(entry, word, rank === 2 ? " " : ""))) ?? Infinity;
};
const byRank = ([a, one], [b, other]) => a - b || (one.kind === "alone") - (other.kind === "alone"); // in combination first
const meant = (entries, wanted) => {
  const ranked = entries.map((entry) => [rankIn(entry, wanted), entry]).filter(([rank]) => rank < Infinity).sort(byRank);
  return ranked.filter(([rank]) => !rank || ranked[0][0]).map(([, entry]) => entry);
};
// The word in names that is spelt most like another, by their pairs of letters.
const nearest = (word, entries) => {
  const pairsOf = (text) => Array.from(` ${text}`, (letter, place) => letter + (text[place] ?? " "));
  const own = pairsOf(word);
  const likeness = (pairs) => (2 * own.filter((pair) => pairs.includes(pair)).length) / (own.length + pairs.length);
  const all = [...new Set(entries.flatMap((entry) => heldIn(entry).trim().split(" ")))].map((each) => [likeness(pairsOf(each)), each]);
  return all.reduce((best, each) => (each[0] > best[0] ? each : best), [0.4, ""])[1];
};

// What a text may mean: groups, regions, or one group in one region, as `paired` makes it; a note stands first where a word is in no name.
const searched = (text, groups, regions = [], paired = null) => {
  const [wanted, all] = [wantedIn(text), [...groups, ...regions]];
  const near = [groups, regions].map((each) => each.filter((entry) => wanted.some((word) => has(entry, word, ""))));
  const isEveryone = (word) => words.everyone.includes(word);
  const unknown = wanted.filter((word) => !near.flat().some((entry) => (isEveryone(word) ? has(entry, `${word} `) : has(entry, word, ""))));
  if (unknown.length) {
    const better = wanted.map((word) => (unknown.includes(word) ? !isEveryone(word) && nearest(word, all) : word)).filter(Boolean);
    const note = { isNote: true, label: unknown.some(isEveryone) ? words.no_everybody : say("not_found", { word: unknown.join(" ") }) };
    return [note, ...(better.length ? searched(better.join(" "), groups, regions, paired) : []).filter(({ isNote }) => !isNote)];
  }
  const [some, places] = near.map((each) => meant(each, wanted));
  const isPlace = places.length && (!some.length || rankIn(places[0], wanted) < rankIn(some[0], wanted));
  const found = (isPlace ? [places, some] : [some, places]).flatMap((each) => each.slice(0, 20));
  const splits = found.length && !/\sin\s(?!any|comb)/i.test(text) ? [] : wanted.slice(1).flatMap((_, place) => {
    const [start, end] = [wanted.slice(0, place + 1), wanted.slice(place + 1)];
    return [[start, end], [end, start]];
  });
  const pairs = splits.flatMap(([who, where]) => {
    const [first, second] = [meant(near[0], who).slice(0, 6), meant(near[1], where).slice(0, 6)];
    return second.flatMap((region) => first.map((group) => [rankIn(group, who) + rankIn(region, where), paired(group, region)]));
  });
  if (pairs.length) return pairs.sort((a, b) => a[0] - b[0]).map(([, pair]) => pair);
  if (found.length) return found;
  const hits = (entry) => wanted.filter((word) => has(entry, word, "")).length;
  return [{ isNote: true, label: words.not_together }, ...near.flat().sort((a, b) => hits(b) - hits(a))];
};

// --- a field with a list under it: typing finds, arrows and Enter pick ---

// offer: gives the options { label, hint } for a text, now or later. pick: is called with the one that is picked.
const combobox = (input, list, offer, pick, removed = () => false) => {
  const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  let [shown, shownLines, active, asked] = [[], [], -1, 0];
  const close = () => {
    asked += 1;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    active = -1;
  };
  const point = (place) => {
    active = (place + shown.length) % shown.length;
    shownLines.forEach((line, number) => line.setAttribute("aria-selected", String(number === active)));
    input.setAttribute("aria-activedescendant", shownLines[active].id);
    shownLines[active].scrollIntoView({ block: "nearest" });
  };
  const chosen = (option) => {
    input.value = "";
    close();
    pick(option);
  };
  const open = async () => {
    const number = (asked += 1);
    const text = input.value.trim();
    const found = await offer(text);
    if (number !== asked) return;
    shown = found.filter(({ isNote }) => !isNote).slice(0, mostOffered);
    const notes = found.filter(({ isNote }) => isNote).map(({ label }) => made("li", label, { role: "option", ariaDisabled: "true" }));
    shownLines = shown.map((option, place) => {
      const said = [option.label, option.hint].filter(Boolean).map((each) => made("span", each));
      const line = made("li", "", { id: `${input.id}-${place}`, role: "option", ariaSelected: "false" }, ...said);
      line.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
      line.addEventListener("click", () => chosen(option));
      return line;
    });
    list.replaceChildren(...notes, ...shownLines);
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    active = -1;
    if (text && shown.length && !notes.length) point(0);
  };
  input.addEventListener("input", open);
  input.addEventListener("click", open);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", async (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isPick = event.key === "Enter" && !list.hidden && active >= 0;
    if (step || isPick || event.key === "Escape" || (event.key === "Backspace" && !input.value && removed())) event.preventDefault();
    if (step) {
      if (list.hidden) await open();
      if (shown.length) point(active < 0 && step < 0 ? shown.length - 1 : active + step);
    } else if (isPick) chosen(shown[active]);
    else if (event.key === "Escape") close();
  });
};

// --- several of a long list, which stand below as buttons that remove them ---

// isOne: whether one alone may be picked now.
const multiple = (id, label, isOne, changed) => {
  const input = made("input", "", { id, type: "text", autocomplete: "off", spellcheck: false, placeholder: words.calculator.type_here });
  const list = made("ul", "", { id: `${id}-list`, className: "offered", hidden: true, ariaLabel: label });
  const chips = made("ul", "", { className: "chips", ariaLabel: told("picked", { what: label }) });
  const holder = made("div", "", { className: "several" }, made("label", label, { htmlFor: id }), input, list, chips);
  let [options, chosen] = [[], []];
  const put = (values) => {
    chosen = values;
    changed(values);
    return true;
  };
  const pick = ({ code }) => {
    if (code === everything) put(everything);
    else if (chosen === everything || isOne()) put([code]);
    else put(chosen.includes(code) ? chosen : [...chosen, code]);
  };
  const all = () => (options.length > 1 && !isOne() ? [{ code: everything, label: told("all_of", { number: whole(options.length) }) }] : []);
  const removed = () => chosen.length > 0 && put(chosen === everything ? [] : chosen.slice(0, -1));
  combobox(input, list, (text) => (text ? searched(text, options) : [...all(), ...options]), pick, removed);

  const show = (offers, values) => {
    [options, chosen] = [offers, values];
    const labels = new Map(options.map(({ code, label: text }) => [code, text]));
    const pieces = values === everything ? [[everything, told("all_of", { number: whole(options.length) })]] : values.map((value) => [value, labels.get(value) ?? value]);
    chips.replaceChildren(...pieces.map(([value, text]) => {
      const taken = () => {
        put(value === everything ? [] : chosen.filter((each) => each !== value));
        input.focus();
      };
      return made("li", "", {}, pressed(text, taken, { ariaLabel: told("remove", { what: text }) }));
    }));
  };
  return { holder, show };
};

// --- a list of a few ---

const single = (id, label, changed) => {
  const list = made("select", "", { id });
  const holder = made("p", "", {}, made("label", label, { htmlFor: id }), list);
  list.addEventListener("change", () => changed(list.value));
  const show = (options, value) => {
    list.replaceChildren(...options.map(([own, text]) => new Option(text, own)));
    list.value = value;
    holder.hidden = options.length < 2;
  };
  return { holder, show };
};

// --- the fields of one count ---

// isOne: whether a list, "regions" or "groups", is to have one alone. changed: called with what a reader changed of the count,
// such as { regions: ["06"] }.
const countFields = (own, ending, isOne, changed) => {
  const id = (name) => `ask-${name}${ending}`;
  const another = (value) => changed({ release: Number(value), ladder: 0, type: 0, regions: [], groups: [] });
  const release = single(id("release"), words.calculator.release, another);
  const ladder = single(id("ladder"), words.calculator.table, (value) => changed({ ladder: Number(value), values: {} }));
  const type = single(id("type"), words.calculator.type, (value) => changed({ type: Number(value), regions: [] }));
  const regions = multiple(id("region"), words.calculator.regions, () => isOne("regions"), (values) => changed({ regions: values }));
  const groups = multiple(id("group"), words.calculator.groups, () => isOne("groups"), (values) => changed({ groups: values }));
  const attributes = made("div", "", { className: "attributes" });
  const all = [groups, { holder: attributes }, regions, type, ladder, release];
  const holder = made("div", "", { className: "fields" }, ...all.map((each) => each.holder));

  const numbersOf = (attribute, value, put) => {
    const { title, starts, maximum, options } = attribute;
    const ends = [...starts.slice(1).map((start) => start - 1), maximum];
    const isRange = /^-?\d+--?\d+$/.test(value) && !options.some(([code]) => code === value);
    const [first, last] = isRange ? /^(-?\d+)-(-?\d+)$/.exec(value).slice(1).map(Number) : [value, maximum];
    const from = single(id(`${attribute.name}-from`), capital(told("from", { what: title })), (chosen) => {
      const isNumber = chosen !== "" && starts.includes(Number(chosen));
      put(isNumber ? `${chosen}-${Math.max(last, Number(chosen))}` : chosen);
    });
    const to = single(id(`${attribute.name}-to`), capital(told("to", { what: title })), (chosen) => put(`${first}-${chosen}`));
    from.show([["", words.calculator.all], ...starts.map((start) => [start, String(start)]), ...options], String(first));
    const later = isRange ? ends.filter((end) => end >= first) : [];
    to.show(later.map((end) => [end, end === maximum ? told("top", { end }) : String(end)]), String(last));
    to.holder.hidden = !isRange;
    return [from.holder, to.holder];
  };
  const fieldsOf = (attribute, values) => {
    const put = (text) => changed({ values: { ...values, [attribute.name]: text } });
    const value = values[attribute.name] ?? "";
    if (attribute.isOfNumbers) return numbersOf(attribute, value, put);
    const list = single(id(attribute.name), capital(attribute.title), put);
    list.show([["", words.calculator.all], ...attribute.options], value);
    return [list.holder];
  };

  const show = (count, offers) => {
    const about = own.data.releases[count.release];
    const listed = (values, isOffered) => values.map(({ title, name }, place) => [place, title ?? name]).filter(([place]) => isOffered(place));
    release.show(listed(own.data.releases, () => true), count.release);
    ladder.show(listed(about.ladders, (place) => about.ladders[place].isExact), count.ladder);
    type.show(listed(about.types, (place) => about.ladders[count.ladder].types[place].kinds.of.length), count.type);
    regions.show(offers.regions, count.regions);
    groups.show(offers.groups, count.groups);
    const focused = document.activeElement?.id;
    attributes.replaceChildren(...about.ladders[count.ladder].attributes.flatMap((attribute) => fieldsOf(attribute, count.values)));
    if (focused && attributes.querySelector(`#${CSS.escape(focused)}`)) byId(focused).focus();
  };
  return { holder, show };
};

// What is offered for a count, by release, ladder and type: { regions, groups }, each { code, label, also }.
const offersOf = (own) => {
  const known = new Map();
  return async ({ release, ladder, type }) => {
    const key = `${release} ${ladder} ${type}`;
    if (known.has(key)) return known.get(key);
    const { entries: regions } = await own.regions(release, type);
    const { kinds, limits } = own.data.releases[release].ladders[ladder].types[type];
    const places = [...new Set([...kinds.of, ...limits.of].map(([place]) => place))];
    known.set(key, { regions, groups: places.map((place) => own.groups[place]).sort((a, b) => a.label.localeCompare(b.label)) });
    return known.get(key);
  };
};

const mostAdded = 5; // regions whose counts stand beside the groups that are offered

// What is offered, with the groups that have a count in the picked regions first, the largest before others.
const sizedOffers = async (own, offers, count) => {
  const { regions, groups } = await offers(count);
  if (count.regions === everything || !count.regions.length || count.regions.length > mostAdded) return { regions, groups };
  const known = await own.loaded(count);
  const sizes = new Map();
  for (const found of count.regions.map(known)) {
    for (const [iteration, { counts }] of found?.groups ?? []) {
      const [code] = own.data.iterations[iteration];
      const best = count.regions.length === 1 && found.totals[iteration]; // of both stages
      sizes.set(code, (sizes.get(code) ?? 0) + (best ? best[0] : added(counts)));
    }
  }
  const size = ({ code }) => sizes.get(code) ?? -Infinity;
  const hinted = groups.map((group) => ({ ...group, hint: sizes.has(group.code) ? whole(size(group)) : "" }));
  return { regions, groups: hinted.sort((a, b) => (size(a) === size(b) ? 0 : size(b) - size(a))) };
};
