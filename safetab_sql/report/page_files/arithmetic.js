// Exact intervals of what is computed from noisy counts: sums, differences, ratios, growth, quantiles and ranks. The arithmetic
// of safetab_sql/laws, published/intervals.py and statistics/, for one statistic at a time; the reasons stand there, and
// tests/report/test_calculator.py holds both against each other. Knows nothing of the page.

const added = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

const arithmetic = (() => {
  const remembered = (most, keyOf, compute) => {
    const known = new Map();
    return (...given) => {
      const key = keyOf(...given);
      if (!known.has(key)) {
        if (known.size >= most) known.delete(known.keys().next().value);
        known.set(key, compute(...given));
      }
      return known.get(key);
    };
  };
  const powerAbove = (number) => 2 ** Math.floor(Math.log2(number) + 1);
  const floorMod = (number, size) => ((number % size) + size) % size;
  const rounded = (number) => (number - Math.floor(number) === 0.5 ? 2 * Math.round(number / 2) : Math.round(number)); // half to even
  const firstPlace = (size, fits) => {
    // The first place at which a rising condition holds; `size` where it holds nowhere.
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (fits(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  // --- Fourier transforms of real numbers; the length is a power of 2, at least 4 ---

  const anglesOf = remembered(24, String, (size) => {
    const [cosines, sines] = [new Float64Array(size / 2), new Float64Array(size / 2)];
    for (let place = 0; place < size / 2; place += 1) {
      cosines[place] = Math.cos((2 * Math.PI * place) / size);
      sines[place] = Math.sin((2 * Math.PI * place) / size);
    }
    return [cosines, sines];
  });

  const transformInPlace = (real, imaginary) => {
    const size = real.length;
    for (let place = 1, other = 0; place < size; place += 1) {
      let bit = size >> 1;
      for (; other & bit; bit >>= 1) other ^= bit;
      other ^= bit;
      if (place < other) {
        [real[place], real[other]] = [real[other], real[place]];
        [imaginary[place], imaginary[other]] = [imaginary[other], imaginary[place]];
      }
    }
    const [cosines, sines] = anglesOf(size);
    for (let half = 1; half < size; half *= 2) {
      const stride = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let place = start, angle = 0; place < start + half; place += 1, angle += stride) {
          const [a, b] = [real[place + half], imaginary[place + half]];
          const x = a * cosines[angle] + b * sines[angle];
          const y = b * cosines[angle] - a * sines[angle];
          real[place + half] = real[place] - x;
          imaginary[place + half] = imaginary[place] - y;
          real[place] += x;
          imaginary[place] += y;
        }
      }
    }
  };

  const transformOf = (values) => {
    const half = values.length / 2;
    const [real, imaginary] = [new Float64Array(half), new Float64Array(half)];
    for (let place = 0; place < half; place += 1) {
      real[place] = values[2 * place];
      imaginary[place] = values[2 * place + 1];
    }
    transformInPlace(real, imaginary);
    const found = { real: new Float64Array(half + 1), imaginary: new Float64Array(half + 1) };
    const [cosines, sines] = anglesOf(2 * half);
    for (let place = 0; place <= half; place += 1) {
      const [own, mirror] = [place % half, (half - place) % half];
      const [a, b] = [real[own], imaginary[own]];
      const [c, d] = [real[mirror], -imaginary[mirror]];
      const [cosine, sine] = place < half ? [cosines[place], sines[place]] : [-1, 0];
      const [x, y] = [(b - d) / 2, (c - a) / 2];
      found.real[place] = (a + c) / 2 + x * cosine + y * sine;
      found.imaginary[place] = (b + d) / 2 + y * cosine - x * sine;
    }
    return found;
  };

  const valuesOf = ({ real, imaginary }) => {
    const half = real.length - 1;
    const [x, y] = [new Float64Array(half), new Float64Array(half)];
    const [cosines, sines] = anglesOf(2 * half);
    for (let place = 0; place < half; place += 1) {
      const [a, b] = [real[place], imaginary[place]];
      const [c, d] = [real[half - place], -imaginary[half - place]];
      const [p, q] = [(a - c) / 2, (b - d) / 2];
      y[place] = (a + c) / 2 - (q * cosines[place] + p * sines[place]);
      x[place] = (b + d) / 2 + (p * cosines[place] - q * sines[place]);
    }
    transformInPlace(x, y); // the inverse, with real and imaginary parts exchanged
    const found = new Float64Array(2 * half);
    for (let place = 0; place < half; place += 1) {
      found[2 * place] = y[place] / half;
      found[2 * place + 1] = x[place] / half;
    }
    return found;
  };

  // The chances of the sum of independent draws around a circle, of symmetric laws, whose transforms are real. parts: [real
  // transform of the chances of one draw, how many draws].
  const summedSymmetric = (parts) => {
    const half = parts[0][0].length - 1;
    const product = { real: new Float64Array(half + 1).fill(1), imaginary: new Float64Array(half + 1) };
    for (const [transform, draws] of parts) {
      for (let place = 0; place <= half; place += 1) product.real[place] *= transform[place] ** draws;
    }
    return valuesOf(product);
  };

  // The same of any laws. parts: [chances of one draw, how many draws].
  const summedAny = (parts) => {
    const size = parts[0][0].length;
    const product = { real: new Float64Array(size / 2 + 1).fill(1), imaginary: new Float64Array(size / 2 + 1) };
    for (const [chances, draws] of parts) {
      const { real, imaginary } = transformOf(chances);
      for (let place = 0; place <= size / 2; place += 1) {
        let [a, b, x, y] = [real[place], imaginary[place], product.real[place], product.imaginary[place]];
        for (let left = draws; left; left = Math.floor(left / 2)) {
          if (left % 2) [x, y] = [x * a - y * b, x * b + y * a];
          [a, b] = [a * a - b * b, 2 * a * b];
        }
        [product.real[place], product.imaginary[place]] = [x, y];
      }
    }
    return valuesOf(product);
  };

  // --- laws of noise: { number, kind, budget }, the discrete Gaussian with its rho, the two-sided geometric with its epsilon ---

  const isGaussian = (law) => law.kind === "gaussian";

  // Some n with P(noise <= -n) < 2^-bits.
  const reachOf = (law, bits) => {
    if (isGaussian(law)) return Math.ceil(Math.sqrt(Math.ceil((0.7 * bits) / law.budget)));
    return Math.ceil((0.7 * bits) / law.budget);
  };

  // Of a discrete Gaussian: P(noise > k) for k = 0, 1, ..., right relative to themselves, and P(0).
  const gaussianTails = (law) => (law.known ??= madeTails(law));
  const madeTails = (law) => {
    const last = Math.ceil(Math.sqrt(700 / law.budget));
    const tails = new Float64Array(last + 1);
    for (let k = last; k > 0; k -= 1) tails[k - 1] = tails[k] + Math.exp(-law.budget * k * k);
    const whole = 1 + 2 * tails[0];
    return { tails: tails.map((each) => each / whole), middle: 1 / whole };
  };

  // P(noise > k), for any whole k.
  const beyondOf = (law, k) => {
    if (k < 0) return 1 - beyondOf(law, -k - 1);
    if (!isGaussian(law)) return Math.exp(-law.budget * (k + 1)) / (1 + Math.exp(-law.budget));
    const { tails } = gaussianTails(law);
    return k < tails.length ? tails[k] : 0;
  };

  // P(noise = k) for k >= 0.
  const chanceOf = (law, k) => {
    if (!isGaussian(law)) return (-Math.expm1(-law.budget) / (1 + Math.exp(-law.budget))) * Math.exp(-law.budget * k);
    return gaussianTails(law).middle * Math.exp(-law.budget * k * k);
  };

  const varianceOf = (law) => (law.variance ??= madeVariance(law));
  const madeVariance = (law) => {
    if (!isGaussian(law)) return (2 * Math.exp(-law.budget)) / Math.expm1(-law.budget) ** 2;
    if (law.budget <= 1 / 8) return 1 / (2 * law.budget);
    let sum = 0;
    for (let k = reachOf(law, 64); k > 0; k -= 1) sum += 2 * k * k * chanceOf(law, k);
    return sum;
  };

  // The smallest t >= 0 with P(noise > t) <= miss.
  const quantileOf = (law, miss) => {
    let furthest = 1;
    while (beyondOf(law, furthest) > miss) furthest *= 2;
    return firstPlace(furthest, (t) => beyondOf(law, t) <= miss);
  };

  // The smallest m with P(|noise| > m) <= miss.
  const marginOf = (law, miss) => quantileOf(law, miss / 2);

  // --- sums of noise: terms { law, coefficient, draws }, independent draws of a law, each so many times ---

  const negligible = 1e-12;
  const keyOfTerms = (terms) => terms.map(({ law, coefficient, draws }) => `${law.number} ${coefficient} ${draws}`).join(",");

  const logMoment = ({ law, coefficient }, theta) => {
    const angle = theta * coefficient;
    if (isGaussian(law)) return (angle * angle) / (4 * law.budget);
    const excess = varianceOf(law) * 2 * Math.sinh(angle / 2) ** 2;
    return excess < 1 ? -Math.log1p(-excess) : Infinity;
  };

  // Some n >= 1 with P(|sum| > n) < 10^-12: Chernoff's bound, the best of some exponents.
  const reachOfTerms = (terms) => {
    const largest = Math.max(...terms.map(({ coefficient }) => coefficient));
    let best = Infinity;
    for (let step = -16; step < 160; step += 1) {
      const theta = 2 ** (-step / 4) / largest;
      const moments = terms.reduce((sum, term) => sum + term.draws * logMoment(term, theta), 0);
      best = Math.min(best, (Math.log(2 / negligible) + moments) / theta);
    }
    return Math.max(1, Math.ceil(best));
  };

  const varianceOfTerms = (terms) =>
    terms.reduce((sum, { law, coefficient, draws }) => sum + draws * coefficient ** 2 * varianceOf(law), 0);

  // The real transform of the chances of one draw around a circle.
  const aroundCircle = remembered(24, ({ law, coefficient }, size) => `${law.number} ${coefficient} ${size}`, ({ law, coefficient }, size) => {
    const chances = new Float64Array(size);
    chances[0] = chanceOf(law, 0);
    for (let k = 1, last = reachOf(law, 66); k <= last; k += 1) {
      const chance = chanceOf(law, k);
      chances[(coefficient * k) % size] += chance;
      chances[floorMod(-coefficient * k, size)] += chance;
    }
    return transformOf(chances).real;
  });

  // P(|sum| <= m) for m = 0, 1, ..., the last 1 but for 10^-12; null where it is too wide to convolve.
  const within = remembered(48, keyOfTerms, (terms) => {
    const reach = reachOfTerms(terms);
    if (2 * reach > 1e6) return null;
    const size = powerAbove(2 * reach + 1);
    const summed = summedSymmetric(terms.map((term) => [aroundCircle(term, size), term.draws]));
    const found = new Float64Array(reach + 1);
    found[0] = summed[0];
    for (let m = 1; m <= reach; m += 1) found[m] = found[m - 1] + (summed[m] + summed[size - m]);
    return found;
  });

  // The law of a sum of which each draw is rounded to a lattice: the chance that the rounded sum is within 0, 1, ... steps.
  const coarse = (terms, unlikely) => {
    const reach = reachOfTerms(terms);
    const draws = added(terms.map((term) => term.draws));
    let slack = Math.min(draws / 2, Math.sqrt((draws * Math.log(2 / unlikely)) / 2));
    let step = Math.max((1e-3 * Math.sqrt(varianceOfTerms(terms))) / slack, (4 * reach) / 2 ** 23);
    if (step <= 1) [step, slack] = [1, 0];
    const points = Math.ceil(reach / step + slack) + 1;
    const size = powerAbove(2 * points + 1);
    const half = size / 2;
    const parts = terms.map((term) => {
      const chances = new Float64Array(size);
      const beyond = (place) => beyondOf(term.law, Math.ceil((place - 0.5) * (step / term.coefficient)) - 1);
      chances[0] = 1 - 2 * beyond(1);
      for (let place = 1, own = beyond(1); place < half; place += 1) {
        const next = beyond(place + 1);
        chances[place] = chances[size - place] = own - next;
        own = next;
      }
      return [transformOf(chances).real, term.draws];
    });
    const covered = summedSymmetric(parts).slice(0, points + 1);
    for (let place = 1; place <= points; place += 1) covered[place] = covered[place - 1] + 2 * covered[place];
    return { step, slack, covered };
  };

  // As the margin of terms, and hardly more, on a coarser lattice.
  const coarseMargin = (terms, level) => {
    const unlikely = Math.min(1e-6, (1 - level) / 20);
    const { step, slack, covered } = coarse(terms, unlikely);
    return Math.floor(step * (covered.findIndex((chance) => chance >= level + 2 * unlikely) + slack));
  };

  // P(|sum| >= |value|), or hardly more.
  const chanceAsFar = (terms, value) => {
    const [chances, size] = [within(terms), Math.abs(value)];
    let beyond = 1;
    if (chances && size) beyond = 1 - chances[Math.min(size, chances.length) - 1] / chances.at(-1);
    else if (!chances) {
      const { step, slack, covered } = coarse(terms, 1e-6);
      const place = Math.min(covered.length, Math.max(0, Math.ceil(size / step - slack)));
      beyond = (place ? 1 - covered[place - 1] : 1) + 2e-6;
    }
    return Math.min(1, Math.max(1e-9, beyond));
  };

  const greatestDivisor = (one, other) => (other ? greatestDivisor(other, one % other) : one);

  // The smallest m with P(|sum| > m) <= miss.
  const marginOfTerms = remembered(4096, (terms, miss) => `${keyOfTerms(terms)};${miss}`, (terms, miss) => {
    if (!terms.length) return 0;
    if (terms.length === 1 && terms[0].draws === 1) return terms[0].coefficient * marginOf(terms[0].law, miss);
    const unit = terms.map(({ coefficient }) => coefficient).reduce(greatestDivisor);
    const scaled = terms.map((term) => ({ ...term, coefficient: term.coefficient / unit }));
    const chances = within(scaled);
    if (!chances) return unit * coarseMargin(scaled, 1 - miss);
    const wanted = (1 - miss) * chances.at(-1);
    return unit * firstPlace(chances.length, (place) => chances[place] >= wanted);
  });

  // The terms with those of one law and coefficient together.
  const together = (terms) => {
    const found = new Map();
    for (const term of terms) {
      const key = `${term.law.number} ${term.coefficient}`;
      found.set(key, { ...term, draws: term.draws + (found.get(key)?.draws ?? 0) });
    }
    return [...found.values()].sort((a, b) => a.law.number - b.law.number || a.coefficient - b.coefficient);
  };

  // --- counts that were published because they exceed a limit ---

  const atLeast = (law, value) => beyondOf(law, value - 1);

  // The true counts that agree with the noisy counts above + 1, above + 2, ..., as far as the limit matters: [low, high] of each.
  const selectedCounts = remembered(256, (law, above, miss) => `${law.number} ${above} ${miss}`, (law, above, miss) => {
    const margin = marginOf(law, miss);
    const published = (true_) => atLeast(law, above + 1 - true_);
    const found = [];
    let [low, high] = [0, largestSuppressed(law, above, miss)];
    for (;;) {
      const count = above + 1 + found.length;
      high = Math.max(high, count);
      while (published(low) === 0 || atLeast(law, count - low) <= (miss / 2) * published(low)) low += 1;
      while (atLeast(law, count - high) < published(high + 1) * (1 - miss / 2)) high += 1;
      const isCertain = low > above && beyondOf(law, low - above - 1) < 2 ** -60;
      if (low === count - margin && high === count + margin && isCertain) return found;
      found.push([low, high]);
    }
  });

  // The largest true count that stays unpublished with a chance above `miss`.
  const largestSuppressed = (law, above, miss) => Math.max(0, above + quantileOf(law, miss));

  // The interval of one true count.
  const countEnds = ({ law, above }, noisy, miss) => {
    const margin = marginOf(law, miss);
    if (above === null) return [noisy - margin, noisy + margin];
    return selectedCounts(law, above, miss)[noisy - above - 1] ?? [noisy - margin, noisy + margin];
  };

  // --- sums with such counts: terms with `beyond`, the noise given that it is larger, or null ---

  const slack = 1e-9;
  const keyOfErrors = (terms, miss) =>
    `${terms.map(({ law, coefficient, draws, beyond }) => `${law.number} ${coefficient} ${draws} ${beyond}`).join(",")};${miss}`;

  const chanceAbove = ({ law, beyond }, bound) => {
    if (beyond === null) return beyondOf(law, bound);
    const published = beyondOf(law, beyond);
    return published < 2 ** -40 || bound <= beyond ? 1 : beyondOf(law, bound) / published;
  };

  // The first value and the chances of one draw, rounded up to multiples of `step`.
  const roundedUp = (term, step) => {
    const { law, coefficient, beyond } = term;
    const furthest = reachOf(law, 64);
    const first = Math.floor((-coefficient * furthest) / step);
    const last = Math.ceil((coefficient * (furthest + Math.max(0, beyond ?? 0))) / step);
    const chances = new Float64Array(last - first + 1);
    for (let place = 0, before = 1; place < chances.length; place += 1) {
      const exceeding = first + place === last ? 0 : chanceAbove(term, Math.floor(((first + place) * step) / coefficient));
      chances[place] = before - exceeding;
      before = exceeding;
    }
    return { first, chances, draws: term.draws };
  };

  // Some n with P(sign * sum > n) < 10^-12.
  const exponentialBound = (laws, sign) => {
    const reaches = laws.map(({ first, chances }) => Math.max(Math.abs(first), Math.abs(first + chances.length)));
    const widest = Math.max(...reaches);
    let best = laws.reduce((sum, { draws }, place) => sum + reaches[place] * draws, 0);
    for (let number = 0; number < 40; number += 1) {
      const theta = (20 / widest) * 5e-6 ** (number / 39);
      let moments = 0;
      for (const { first, chances, draws } of laws) {
        let [moment, weight] = [0, Math.exp(sign * theta * first)];
        const factor = Math.exp(sign * theta);
        for (let place = 0; place < chances.length; place += 1, weight *= factor) moment += weight * chances[place];
        moments += draws * Math.log(moment);
      }
      best = Math.min(best, (Math.log(1 / negligible) + moments) / theta);
    }
    return Math.ceil(best);
  };

  // Some m, hardly more than the smallest, with P(sum > m) <= miss.
  const largestError = remembered(4096, keyOfErrors, (terms, miss) => {
    if (terms.every(({ beyond }) => beyond === null)) return marginOfTerms(together(terms), 2 * miss);
    const draws = added(terms.map((term) => term.draws));
    for (let step = Math.max(1, Math.floor((0.01 * Math.sqrt(varianceOfTerms(terms))) / draws)); ; step *= 2) {
      const laws = terms.map((term) => roundedUp(term, step));
      const [low, high] = [-exponentialBound(laws, -1), exponentialBound(laws, 1)];
      const size = powerAbove(high - low + 1);
      if (size > 2 ** 22) continue;
      const around = laws.map(({ first, chances, draws: number }) => {
        const own = new Float64Array(size);
        chances.forEach((chance, place) => (own[floorMod(first + place, size)] += chance));
        return [own, number];
      });
      const summed = summedAny(around);
      let beyond = 1;
      for (let place = 0; place < size; place += 1) {
        beyond -= summed[floorMod(low + place, size)];
        if (beyond <= miss - slack) return step * (low + place);
      }
    }
  });

  // How far sign * a noisy sum may exceed sign * the true one, but for a chance of `miss`.
  const largestErrorOf = (terms, sign, miss) => {
    const chosen = terms.filter(({ above, one }) => above !== null && sign * one > 0);
    const number = added(chosen.map(({ draws }) => draws));
    const own = number ? miss * 0.9 : miss;
    const errors = new Map();
    const put = (law, coefficient, beyond, draws) => {
      const key = `${law.number} ${coefficient} ${beyond}`;
      errors.set(key, { law, coefficient, beyond, draws: draws + (errors.get(key)?.draws ?? 0) });
    };
    for (const term of terms) {
      if (!chosen.includes(term)) put(term.law, Math.abs(term.one), null, term.draws);
      for (const noisy of chosen.includes(term) ? term.counts : []) {
        const [low] = countEnds(term, noisy, (2 * 0.1 * miss) / number);
        const known = term.above - Math.max(low, 0);
        put(term.law, Math.abs(term.one), known < -reachOf(term.law, 64) ? null : known, 1);
      }
    }
    return largestError([...errors.values()].sort((a, b) => keyOfErrors([a], 0).localeCompare(keyOfErrors([b], 0))), own);
  };

  // --- statistics: terms { law, above, one, other, draws, noisy, counts }, counts of a law that are `one` times in the one sum
  // and `other` times in the other; above: they were published because they are larger, and counts are all of them ---

  const none = { estimate: NaN, low: NaN, high: NaN, p: NaN };
  const isAsDrawn = (terms) => terms.every(({ one, other }) => one === other) || terms.every(({ above }) => above === null);
  const isPart = (terms) => terms.every(({ one, other }) => one <= other);
  const noiseOf = (terms) => together(terms.map(({ law, one, draws }) => ({ law, coefficient: Math.abs(one), draws })));
  const sumOf = (terms, side) => added(terms.map((term) => term[side] * term.noisy));
  const sideOf = (terms, times) => terms.map((term) => ({ ...term, one: times(term), other: 0 })).filter(({ one }) => one);

  // The ends of the interval of a sum, counts of which may have been published for their size.
  const sumEnds = (terms, miss) => {
    const found = sumOf(terms, "one");
    let ends = [found - largestErrorOf(terms, 1, miss / 2), found + largestErrorOf(terms, -1, miss / 2)];
    if (terms.length === 1 && terms[0].draws === 1) {
      const [{ one }] = terms;
      ends = countEnds(terms[0], found / one, miss).map((end) => one * end).sort((a, b) => a - b);
    }
    return terms.every(({ one }) => one > 0) && !isAsDrawn(terms) ? ends.map((end) => Math.max(0, end)) : ends;
  };

  const sums = (terms, miss) => {
    const estimate = sumOf(terms, "one");
    if (!isAsDrawn(terms)) {
      const [low, high] = sumEnds(terms, miss);
      return { estimate, low, high, p: NaN };
    }
    const margin = marginOfTerms(noiseOf(terms), miss);
    return { estimate, low: estimate - margin, high: estimate + margin, p: NaN };
  };

  // p: the chance that noise alone is at least as far from 0.
  const differences = (terms, miss) => {
    const net = sideOf(terms, ({ one, other }) => one - other);
    const chance = () => (net.length ? chanceAsFar(noiseOf(net), sumOf(net, "one")) : 1);
    return { ...sums(net, miss), p: isAsDrawn(net) ? chance() : NaN };
  };

  // The least and the greatest ratio of what two intervals allow.
  const quotients = (one, other) => {
    const [[low, high], [otherLow, otherHigh]] = [one, other].map((ends) => ends.map((end) => Math.max(0, end)));
    return [otherHigh > 0 ? low / otherHigh : 0, otherLow > 0 ? high / otherLow : Infinity];
  };

  const ratios = (terms, miss) => {
    const [one, other] = [sumOf(terms, "one"), sumOf(terms, "other")];
    const estimate = other > 0 ? one / other : NaN;
    if (isAsDrawn(terms)) {
      const { ends: [low, high], uncut } = fieller(terms, one, other, miss);
      return { estimate, low, high, p: NaN, uncut };
    }
    const part = isPart(terms);
    const rest = sideOf(terms, (term) => term.other - (part ? term.one : 0));
    let [low, high] = quotients(sumEnds(sideOf(terms, (term) => term.one), miss / 2), sumEnds(rest, miss / 2));
    if (part) [low, high] = [low / (1 + low), high === Infinity ? 1 : high / (1 + high)];
    return { estimate, low, high, p: NaN };
  };

  const growths = (terms, miss) => {
    const { estimate, low, high } = ratios(terms, miss);
    return { estimate: estimate - 1, low: low - 1, high: high - 1, p: differences(terms, miss).p };
  };

  // A difference, ratio or growth of counts that have intervals: all that both allow.
  const ofEnds = (kind, one, other) => {
    if (kind === "difference")
      return { estimate: one.estimate - other.estimate, low: one.low - other.high, high: one.high - other.low, p: NaN };
    const estimate = other.estimate > 0 ? one.estimate / other.estimate : NaN;
    const [low, high] = quotients([one.low, one.high], [other.low, other.high]);
    const less = kind === "growth" ? 1 : 0;
    return { estimate: estimate - less, low: low - less, high: high - less, p: NaN };
  };

  // --- ratios: Fieller's method ---

  const places = 800; // a standard deviation
  const variances = (terms) => {
    const found = [0, 0, 0];
    for (const { law, one, other, draws } of terms) {
      const spread = draws * varianceOf(law);
      [one * one, other * other, one * other].forEach((times, place) => (found[place] += times * spread));
    }
    return found;
  };

  const fieller = (terms, one, other, miss) => {
    const squared = marginInDeviations(terms, miss) ** 2;
    const [ofOne, ofOther, ofBoth] = variances(terms);
    const [a, b, c] = [other ** 2 - squared * ofOther, one * other - squared * ofBoth, one ** 2 - squared * ofOne];
    const most = isPart(terms) ? 1 : Infinity;
    const root = Math.sqrt(Math.max(b * b - a * c, 0));
    const cut = (ratio) => Math.min(most, Math.max(0, ratio));
    const uncut = [(b - root) / a, (b + root) / a];
    if (a > 0 && other > 0) return { ends: uncut.map(cut), uncut };
    if (!(a <= 0 && b * b > a * c)) return { ends: [0, most], uncut: null };
    const negative = Math.min(a, -1e-300);
    const larger = b + (b < 0 ? -root : root);
    const roots = [larger / negative, c / larger].filter((each) => !Number.isNaN(each));
    const [lesser, greater] = [Math.min(...roots), Math.max(...roots)];
    const low = lesser < 0 && greater > 0 && greater <= most ? greater : 0;
    return { ends: [low, lesser >= 0 && lesser <= most && most < greater ? lesser : most], uncut: null };
  };

  const keyOfShape = (terms) => terms.map(({ law, one, other, draws }) => `${law.number} ${one} ${other} ${draws}`).join(",");

  // How many standard deviations hold the noise of one - r other, for all r >= 0.
  const marginInDeviations = (terms, miss) => {
    const each = chancesBeyond(terms);
    if (each.some((beyond) => beyond.at(-1) > miss)) return 1 / Math.sqrt(miss); // Chebyshev
    return (Math.max(...each.map((beyond) => firstPlace(beyond.length, (place) => beyond[place] <= miss))) / places) * 1.005;
  };

  // The chance that the noise of one - r other is beyond m / places of its standard deviations, of each of the directions.
  const chancesBeyond = remembered(64, keyOfShape, (terms) => {
    if (Math.max(...terms.map(({ law, draws }) => reachOfTerms([{ law, coefficient: 1, draws }]))) > 2 ** 22) return [chebyshev()];
    return directions(terms).map(([x, y]) => beyondOfDirection(terms, x, y));
  });

  const chebyshev = () => Float64Array.from({ length: 100 * places }, (_, place) => Math.min(1, (places / Math.max(1, place)) ** 2));

  const directions = (terms) => {
    const [ofOne, ofOther, ofBoth] = variances(terms);
    const explained = ofBoth / ofOne;
    const rest = ofOther - explained * ofBoth;
    if (rest <= 1e-12 * ofOther) return [[1, 0]];
    const last = Math.atan2(Math.sqrt(rest), ((isPart(terms) ? ofOne : 0) - ofBoth) / Math.sqrt(ofOne));
    const steps = Math.ceil(last / (Math.PI / 24) - 1e-9);
    return Array.from({ length: steps + 1 }, (_, step) => {
      const angle = (last * step) / steps;
      const [one, other] = [Math.cos(angle) / Math.sqrt(ofOne), Math.sin(angle) / Math.sqrt(rest)];
      return [one + explained * other, other];
    });
  };

  const beyondOfDirection = (terms, x, y) => {
    const parts = terms.map(({ law, one, other, draws }) => ({ weight: Math.abs(x * one - y * other), law, draws })).filter(({ weight }) => weight > 1e-9);
    const deviation = Math.sqrt(parts.reduce((sum, { weight, law, draws }) => sum + weight ** 2 * draws * varianceOf(law), 0));
    if (!parts.length || deviation === 0) return new Float64Array(1);
    const step = deviation / (places / 2);
    const reach = reachOfTerms(parts.map(({ weight, law, draws }) => ({ law, coefficient: weight / step, draws })));
    const size = powerAbove(2 * (reach + parts.length) + 1);
    if (size > 2 ** 22) return chebyshev(); // noise so narrow that hardly any is left
    const summed = summedSymmetric(parts.map(({ weight, law, draws }) => [transformOf(onLattice(law, draws, weight / step, size)).real, 1]));
    // Of half steps there are `places` to a deviation: the noise is beyond what is covered by as many as there are parts.
    const found = Array(parts.length).fill(1);
    for (let place = 0, covered = 0; place < size / 2; place += 1) {
      covered += (place ? 2 : 1) * summed[place];
      const beyond = Math.min(1 - covered + 1e-9, 1);
      found.push(beyond, beyond);
      if (beyond < 1e-8) break;
    }
    return Float64Array.from(found.slice(0, -1));
  };

  // The chances of `scale` times the sum of so many draws, rounded to the nearest whole, around a circle.
  const onLattice = (law, draws, scale, size) => {
    const { reach, chances } = sumLaw(law, draws);
    const found = new Float64Array(size);
    found[0] = chances[0];
    for (let k = 1; k <= reach; k += 1) {
      const place = rounded(scale * k) % size;
      found[place] += chances[k];
      found[(size - place) % size] += chances[k];
    }
    return found;
  };

  // The chances of the sum of so many draws from 0 to reach; of -k they are those of k.
  const sumLaw = remembered(512, (law, draws) => `${law.number} ${draws}`, (law, draws) => {
    const reach = reachOfTerms([{ law, coefficient: 1, draws }]);
    const size = powerAbove(2 * reach + 1);
    const around = new Float64Array(size);
    around[0] = 1 - 2 * beyondOf(law, 0);
    for (let k = 1; k <= reach; k += 1) around[k] = around[size - k] = beyondOf(law, k - 1) - beyondOf(law, k);
    const summed = summedSymmetric([[transformOf(around).real, draws]]);
    return { reach, chances: summed.slice(0, reach + 1).map((chance) => Math.max(0, chance)) };
  });

  // --- quantiles ---

  // The number below which a share p / q of a group are. bins: persons in each; edges: first number of each, and one more than the
  // last; cells: independent counts in a bin.
  const quantiles = ({ law, bins, edges, cells }, [p, q], miss) => {
    const total = added(bins);
    const belows = bins.map((_, place) => added(bins.slice(0, place + 1)));
    const distances = belows.slice(0, -1).map((below) => q * below - p * total);
    const margins = distances.map((_, place) => {
      const sides = [[q - p, (place + 1) * cells], [p, (bins.length - place - 1) * cells]];
      return marginOfTerms(together(sides.map(([coefficient, draws]) => ({ law, coefficient, draws }))), miss);
    });
    const placeOf = (holds) => [...distances.keys(), distances.length].find((place) => place === distances.length || !holds(place));
    const over = placeOf((place) => distances[place] < -margins[place]);
    const last = distances.length;
    const under = last - placeOf((place) => distances[last - 1 - place] > margins[last - 1 - place]);
    return { estimate: interpolated(bins, edges, p / q), low: edges[Math.min(over, under)], high: edges[Math.max(over, under) + 1], p: NaN };
  };

  const interpolated = (bins, edges, share) => {
    const rising = [];
    let sum = 0;
    for (const count of bins) rising.push((sum += Math.max(count, 0)));
    if (!(sum > 0)) return NaN;
    const place = Math.min(rising.filter((below) => below < share * sum).length, rising.length - 1);
    const [before, behind] = [rising[place - 1] ?? 0, rising[place]];
    const part = behind > before ? (share * sum - before) / (behind - before) : 0;
    return edges[place] + part * (edges[place + 1] - edges[place]);
  };

  // --- what is known of groups without a row: limits { law, above, times } ---

  // The interval of one side, with the groups in it that have no row.
  const sideWithAbsent = (terms, absent, miss) => {
    const own = absent.length && terms.length ? miss / 2 : miss;
    const found = terms.length ? sums(terms, own) : { estimate: 0, low: 0, high: 0, p: NaN };
    if (!absent.length) return found;
    const most = added(absent.map(({ law, above, times }) => times * largestSuppressed(law, above, own / absent.length)));
    return { estimate: NaN, low: Math.max(0, found.low), high: Math.max(0, found.high) + most, p: NaN };
  };

  const functions = { count: sums, difference: differences, ratio: ratios, growth: growths };

  // A statistic of one sum or two. absent: of either. isSame: whether both are the same people in one run.
  const evaluate = (kind, { terms, absent, isSame }, miss) => {
    if (isSame) {
      const known = kind === "ratio" ? 1 : 0;
      return { estimate: known, low: known, high: known, p: kind === "ratio" ? NaN : 1 };
    }
    if (!absent.flat().length) return functions[kind](terms, miss);
    if (kind === "count") return sideWithAbsent(sideOf(terms, ({ one }) => one), absent[0], miss);
    const sides = [({ one }) => one, ({ other }) => other].map((times, place) => sideWithAbsent(sideOf(terms, times), absent[place], miss / 2));
    return ofEnds(kind, ...sides);
  };

  // The ranks of counts among one another, 1 for the largest; null for a count of which nothing is known.
  const ranksOf = (counts, miss) => {
    const size = counts.length;
    const own = miss / Math.max(1, (size * (size - 1)) / 2);
    const known = counts.filter(Boolean).map((count) => {
      const interval = evaluate("count", count, own / 2);
      const noise = !count.absent[0].length && isAsDrawn(count.terms) ? noiseOf(count.terms) : null;
      return { count, ...interval, noise, kind: noise ? keyOfTerms(noise) : "" };
    });
    const sorted = (list, name) => list.map((each) => each[name]).filter((each) => !Number.isNaN(each)).sort((a, b) => a - b);
    const kinds = [...new Set(known.map(({ kind }) => kind))].map((kind) => {
      const members = known.filter((each) => each.kind === kind);
      return { noise: members[0].noise, estimates: sorted(members, "estimate"), lows: sorted(members, "low"), highs: sorted(members, "high") };
    });
    const estimates = sorted(known, "estimate");
    const above = (ends, value) => ends.length - firstPlace(ends.length, (place) => ends[place] > value);
    const below = (ends, value) => firstPlace(ends.length, (place) => ends[place] >= value);
    const found = new Map(known.map(({ count, estimate, low, high, noise }) => {
      let [larger, smaller] = [0, 0];
      for (const kind of kinds) {
        if (noise && kind.noise) {
          const margin = marginOfTerms(together([...noise, ...kind.noise]), own);
          larger += above(kind.estimates, estimate + margin);
          smaller += below(kind.estimates, estimate - margin);
        } else {
          larger += above(kind.lows, high);
          smaller += below(kind.highs, low);
        }
      }
      const rank = Number.isNaN(estimate) ? NaN : 1 + above(estimates, estimate);
      return [count, { estimate: rank, low: larger + 1, high: size - smaller, p: NaN }];
    }));
    return counts.map((count) => found.get(count) ?? none);
  };

  return { evaluate, quantiles, ranksOf, isPart };
})();
