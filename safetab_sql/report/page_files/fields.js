// The fields of the calculator's form: lists of which one or several entries are picked, and the fields of one count. Uses the
// functions of counts.js, charts.js and groups.js. Texts are only ever set as text.

const everything = "*"; // in place of a list: all regions of a type, or all groups of it
const mostOffered = 60; // in a list under a field

// The entries that a text may mean: of this very name or code; else those whose names begin with it, then those that have a word
// that does, then those that hold it anywhere; the first of equals first.
const rankIn = ({ label, name = label, code = label }, text) => {
  const wanted = text.trim().toLowerCase();
  const [own, others] = [label.toLowerCase(), [name, code].map((each) => each.toLowerCase())];
  if (own === wanted || others.includes(wanted)) return 0;
  if (own.startsWith(wanted)) return 1;
  if (` ${own.replaceAll(/[^\p{L}\p{N}]+/gu, " ")}`.includes(` ${wanted}`)) return 2;
  return own.includes(wanted) ? 3 : Infinity;
};
const meant = (entries, text) => {
  if (!text.trim()) return [];
  const ranks = new Map(entries.map((entry) => [entry, rankIn(entry, text)]));
  const exact = entries.filter((entry) => !ranks.get(entry));
  return exact.length ? exact : entries.filter((entry) => ranks.get(entry) < 4).sort((a, b) => ranks.get(a) - ranks.get(b));
};

// --- a field with a list under it: typing finds, arrows and Enter pick ---

// offer: gives the options { label, hint } for a text, now or later. pick: is called with the one that is picked.
const combobox = (input, list, offer, pick, removed = () => false) => {
  const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  let [shown, active, asked] = [[], -1, 0];
  const close = () => {
    asked += 1;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    active = -1;
  };
  const point = (place) => {
    active = (place + shown.length) % shown.length;
    [...list.children].forEach((line, number) => line.setAttribute("aria-selected", String(number === active)));
    input.setAttribute("aria-activedescendant", list.children[active].id);
    list.children[active].scrollIntoView({ block: "nearest" });
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
    shown = found.slice(0, mostOffered);
    const lines_ = shown.map((option, place) => {
      const line = made("li", "", { id: `${input.id}-${place}` });
      line.append(made("span", option.label), ...(option.hint ? [made("span", option.hint)] : []));
      line.setAttribute("aria-selected", "false");
      line.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
      line.addEventListener("click", () => chosen(option));
      return line;
    });
    if (!shown.length) lines_.push(made("li", words.calculator.no_match, { ariaDisabled: "true" }));
    for (const line of lines_) line.setAttribute("role", "option");
    list.replaceChildren(...lines_);
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    active = -1;
    if (text && shown.length) point(0);
  };
  input.addEventListener("input", open);
  input.addEventListener("click", open);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", async (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step || (event.key === "Enter" && !list.hidden && active >= 0) || event.key === "Escape" || (event.key === "Backspace" && !input.value && removed())) {
      event.preventDefault();
    }
    if (step) {
      if (list.hidden) await open();
      if (shown.length) point(active < 0 && step < 0 ? shown.length - 1 : active + step);
    } else if (event.key === "Enter" && !list.hidden && active >= 0) chosen(shown[active]);
    else if (event.key === "Escape") close();
  });
};

// --- several of a long list, which stand below as buttons that remove them ---

// isOne: whether one alone may be picked now.
const multiple = (id, label, isOne, changed) => {
  const holder = made("div", "", { className: "several" });
  const input = made("input", "", { id, type: "text", autocomplete: "off", spellcheck: false, placeholder: words.calculator.type_here });
  const [list, chips] = [made("ul", "", { id: `${id}-list`, className: "offered", hidden: true }), made("ul", "", { className: "chips" })];
  [list.ariaLabel, chips.ariaLabel] = [label, told("picked", { what: label })];
  holder.append(made("label", label, { htmlFor: id }), input, list, chips);
  let [options, chosen] = [[], []];
  const put = (values) => {
    chosen = values;
    changed(values);
    return true;
  };
  const pick = ({ value }) => {
    if (value === everything) put(everything);
    else if (chosen === everything || isOne()) put([value]);
    else put(chosen.includes(value) ? chosen : [...chosen, value]);
  };
  const all = () => (options.length > 1 && !isOne() ? [{ value: everything, label: told("all_of", { number: whole(options.length) }) }] : []);
  const removed = () => chosen.length > 0 && put(chosen === everything ? [] : chosen.slice(0, -1));
  combobox(input, list, (text) => (text ? meant(options, text) : [...all(), ...options]), pick, removed);

  const show = (offers, values) => {
    [options, chosen] = [offers, values];
    const labels = new Map(options.map(({ value, label: text }) => [value, text]));
    const every = [[everything, told("all_of", { number: whole(options.length) })]];
    const pieces = values === everything ? every : values.map((value) => [value, labels.get(value) ?? value]);
    chips.replaceChildren(
      ...pieces.map(([value, text]) => {
        const line = made("li", "");
        const taken = () => {
          put(value === everything ? [] : chosen.filter((each) => each !== value));
          input.focus();
        };
        line.append(pressed(text, taken, { ariaLabel: told("remove", { what: text }) }));
        return line;
      }),
    );
  };
  return { holder, show };
};

// --- a list of a few ---

const single = (id, label, changed) => {
  const [holder, list] = [made("p", ""), made("select", "", { id })];
  holder.append(made("label", label, { htmlFor: id }), list);
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
  const holder = made("div", "", { className: "fields" });
  const id = (name) => `ask-${name}${ending}`;
  const another = (value) => changed({ release: Number(value), ladder: 0, type: 0, regions: [], groups: [] });
  const release = single(id("release"), words.calculator.release, another);
  const ladder = single(id("ladder"), words.calculator.table, (value) => changed({ ladder: Number(value), values: {} }));
  const type = single(id("type"), words.calculator.type, (value) => changed({ type: Number(value), regions: [] }));
  const regions = multiple(id("region"), words.calculator.regions, () => isOne("regions"), (values) => changed({ regions: values }));
  const groups = multiple(id("group"), words.calculator.groups, () => isOne("groups"), (values) => changed({ groups: values }));
  const attributes = made("div", "", { className: "attributes" });
  holder.append(groups.holder, attributes, ...[regions, type, ladder, release].map((each) => each.holder));

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

// What is offered for a count, by release, ladder and type: { regions, groups }, each { value, label, name, code }.
const offersOf = (own) => {
  const known = new Map();
  return async ({ release, ladder, type }) => {
    const key = `${release} ${ladder} ${type}`;
    if (known.has(key)) return known.get(key);
    const { ids, names } = await own.regions(release, type);
    const regions = ids.map((id, place) => ({ value: id, code: id, name: names[place], label: names[place] }));
    const { kinds, limits } = own.data.releases[release].ladders[ladder].types[type];
    const places = [...new Set([...kinds.of, ...limits.of].map(([place]) => place))];
    const groups = places.map((place) => {
      const [code, name] = own.data.iterations[place];
      return { value: code, code, name, label: name || code };
    });
    known.set(key, { regions, groups: groups.sort((a, b) => a.label.localeCompare(b.label)) });
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
  const size = ({ value }) => sizes.get(value) ?? -Infinity;
  const hinted = groups.map((group) => ({ ...group, hint: sizes.has(group.value) ? whole(size(group)) : "" }));
  return { regions, groups: hinted.sort((a, b) => (size(a) === size(b) ? 0 : size(b) - size(a))) };
};
