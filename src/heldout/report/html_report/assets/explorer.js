// The operating point explorer: every number follows from the counts and bands at one threshold.
const source = document.getElementById("heldout-thresholds");
if (source) explore(JSON.parse(source.textContent));

function explore(data) {
  const at = (id) => document.getElementById(id);
  const last = data.threshold.length - 1;
  const observed = data.positives / (data.positives + data.negatives);
  const shownPrevalence = String(Number((100 * observed).toPrecision(4)));
  const state = { index: 0, threshold: 0, rule: "hand" };

  // Numbers as they are shown.
  const amount = (x) => (Number.isInteger(x) ? String(x) : Math.abs(x) >= 10 ? x.toFixed(1) : String(Number(x.toPrecision(4))));
  const rate = (x) => (Number.isFinite(x) ? x.toFixed(3) : "undefined");
  const large = (x) => (Number.isFinite(x) ? (Math.abs(x) >= 1000 ? x.toFixed(0) : x.toFixed(1)) : "undefined");
  const whole = (x) => String(Number(x.toFixed(1)));

  function setting(id) {
    const text = at(id).value.trim();
    if (id === "prevalence" && text === shownPrevalence) return observed;
    const x = Number(text);
    if (text === "" || !Number.isFinite(x) || x < 0) return NaN;
    return id === "prevalence" || id === "least" ? Math.min(x / 100, 1) : x;
  }

  // What follows from a recall and a specificity where a share p of the rows is positive.
  function follows(recall, specificity, s) {
    const hits = s.p * recall;
    const alarms = (1 - s.p) * (1 - specificity);
    const passes = (1 - s.p) * specificity;
    const misses = s.p * (1 - recall);
    return {
      recall,
      specificity,
      precision: hits / (hits + alarms),
      npv: passes / (passes + misses),
      accuracy: hits + passes,
      flagged: hits + alarms,
      cost: 1000 * (misses * s.miss + alarms * s.alarm),
      benefit: 1000 * (hits - (alarms * s.alarm) / s.miss),
      alerts: s.daily * (hits + alarms),
    };
  }

  function settings() {
    return { p: setting("prevalence"), miss: setting("miss"), alarm: setting("alarm"), daily: setting("daily") };
  }

  // Value and both ends: more recall and more specificity are better for all but the shares called positive.
  function judged(i, s) {
    const recall = data.tp[i] / data.positives;
    const specificity = 1 - data.fp[i] / data.negatives;
    const value = follows(recall, specificity, s);
    const worst = follows(data.recall_low[i], data.specificity_low[i], s);
    const best = follows(data.recall_high[i], data.specificity_high[i], s);
    const fewest = follows(data.recall_low[i], data.specificity_high[i], s);
    const most = follows(data.recall_high[i], data.specificity_low[i], s);
    const found = {};
    for (const name of Object.keys(value)) {
      let [low, high] = [worst[name], best[name]];
      if (name === "cost") [low, high] = [best[name], worst[name]];
      if (name === "flagged" || name === "alerts") [low, high] = [fewest[name], most[name]];
      found[name] = { value: value[name], low, high };
    }
    return found;
  }

  // The first threshold whose counts hold at x, and whether they hold there exactly.
  function placed(x) {
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.until[middle] !== null && data.until[middle] < x) low = middle + 1;
      else high = middle;
    }
    return { index: low, exact: data.after[low] === null || x > data.after[low] };
  }

  const chosen = {
    cost(s) {
      let best = -1;
      let least = Infinity;
      for (let i = 0; i <= last; i++) {
        const cost = follows(data.tp[i] / data.positives, 1 - data.fp[i] / data.negatives, s).cost;
        if (cost < least) [best, least] = [i, cost];
      }
      return best;
    },
    capacity(s) {
      const most = setting("capacity");
      for (let i = 0; i <= last; i++) if (judged(i, s).alerts.value <= most) return i;
      return -1;
    },
    recall() {
      const least = setting("least");
      for (let i = last; i >= 0; i--) if (data.recall_low[i] >= least) return i;
      return -1;
    },
  };

  function ruled() {
    const s = settings();
    const p = s.p;
    return {
      hand: { kind: "hand" },
      cost: { kind: "cost", cost_of_miss: s.miss, cost_of_false_alarm: s.alarm, prevalence: p },
      capacity: { kind: "capacity", alerts_a_day: setting("capacity"), rows_a_day: s.daily, prevalence: p },
      recall: { kind: "recall", at_least: setting("least"), level: data.level },
    }[state.rule];
  }

  function follow() {
    let said = "";
    if (state.rule !== "hand") {
      const index = chosen[state.rule](settings());
      if (index < 0) {
        said = "No threshold fulfils this rule with these settings.";
        state.rule = "hand";
        at("explore").querySelector('[name="rule"][value="hand"]').checked = true;
      } else {
        state.index = index;
        state.threshold = data.threshold[index];
      }
    }
    show(said);
  }

  function show(said = "") {
    const i = state.index;
    const found = judged(i, settings());
    if (document.activeElement !== at("threshold")) at("threshold").value = String(state.threshold);
    at("slider").value = String(i);
    at("slider").setAttribute("aria-valuetext", `threshold ${state.threshold}`);
    at("exact").textContent = said;
    for (const line of at("explore").querySelectorAll("[data-value]")) {
      const name = line.dataset.value;
      const one = found[name];
      const form = name in { cost: 0, benefit: 0, alerts: 0 } ? large : rate;
      line.dataset.exact = String(one.value);
      line.dataset.low = String(one.low);
      line.dataset.high = String(one.high);
      line.querySelector(".value").textContent = form(one.value);
      line.querySelector(".ends").textContent =
        Number.isFinite(one.low) && Number.isFinite(one.high) ? `[${form(one.low)}, ${form(one.high)}]` : "";
      drawn(line.querySelector("svg"), one);
    }
    const counts = { tp: data.tp[i], fp: data.fp[i], fn: data.positives - data.tp[i], tn: data.negatives - data.fp[i] };
    for (const cell of at("explore").querySelectorAll("[data-count]")) {
      cell.textContent = amount(counts[cell.dataset.count]);
    }
    limits(found);
  }

  function drawn(svg, one) {
    if (!svg) return;
    const known = [one.low, one.value, one.high].every(Number.isFinite);
    svg.style.visibility = known ? "" : "hidden";
    if (!known) return;
    const place = (x) => (4 + 112 * x).toFixed(1);
    svg.querySelector("path").setAttribute("d", `M${place(one.low)} 8H${place(one.high)}`);
    svg.querySelector("circle").setAttribute("cx", place(one.value));
  }

  function limits(found) {
    const most = setting("capacity");
    const least = setting("least");
    const within = found.alerts.value <= most;
    at("within").hidden = !Number.isFinite(most) || !Number.isFinite(found.alerts.value);
    at("within").className = within ? "kept" : "broken";
    at("within").textContent = within
      ? `Within the capacity: about ${whole(found.alerts.value)} alerts a day, at most ${whole(most)}.`
      : `Over the capacity: about ${whole(found.alerts.value)} alerts a day, at most ${whole(most)}.`;
    const assured = found.recall.low >= least;
    at("assured").hidden = !Number.isFinite(least);
    at("assured").className = assured ? "kept" : "broken";
    at("assured").textContent = assured
      ? `Recall of ${rate(least)} is assured: the band ends at ${rate(found.recall.low)}.`
      : `Recall of ${rate(least)} is not assured: the band ends at ${rate(found.recall.low)}.`;
  }

  function byHand(index, threshold, said) {
    state.rule = "hand";
    at("explore").querySelector('[name="rule"][value="hand"]').checked = true;
    Object.assign(state, { index, threshold });
    at("frozen").textContent = "";
    show(said);
  }

  function typed() {
    const text = at("threshold").value.trim();
    const x = Number(text);
    if (text === "" || !Number.isFinite(x)) return;
    const { index, exact } = placed(x);
    const kept = data.threshold[index];
    byHand(index, exact ? x : kept, exact ? "" : `Counts are kept for the threshold ${kept}, the next one above.`);
  }

  // What goes into threshold.json.
  function frozen() {
    const found = judged(state.index, settings());
    const names = ["recall", "specificity", "precision", "npv", "accuracy"];
    const defined = (x) => (Number.isFinite(x) ? x : null);
    const metrics = {};
    for (const name of names) {
      const { value, low, high } = found[name];
      metrics[name] = { value: defined(value), low: defined(low), high: defined(high) };
    }
    return {
      schema: "heldout.threshold/1",
      heldout: data.heldout,
      threshold: state.threshold,
      positive: data.positive,
      rule: Object.fromEntries(Object.entries(ruled()).map(([k, v]) => [k, typeof v === "number" ? defined(v) : v])),
      chosen_on: data.chosen_on,
      source: data.source,
      level: data.level,
      prevalence: defined(settings().p),
      metrics,
      when: new Date().toISOString(),
    };
  }

  function download() {
    const text = JSON.stringify(frozen(), null, 2) + "\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "threshold.json";
    link.click();
    URL.revokeObjectURL(link.href);
    at("frozen").textContent = `threshold.json holds ${state.threshold}.`;
  }

  at("prevalence").value = shownPrevalence;
  at("miss").value = "5";
  at("alarm").value = "1";
  at("daily").value = "1000";
  at("capacity").value = "80";
  at("least").value = "80";
  at("threshold").addEventListener("input", typed);
  at("threshold").addEventListener("change", () => { at("threshold").value = String(state.threshold); });
  at("slider").addEventListener("input", () => {
    const index = Number(at("slider").value);
    byHand(index, data.threshold[index], "");
  });
  for (const input of at("explore").querySelectorAll(".settings input")) input.addEventListener("input", follow);
  for (const input of at("explore").querySelectorAll('[name="rule"]')) {
    input.addEventListener("change", () => { state.rule = input.value; at("frozen").textContent = ""; follow(); });
  }
  at("freeze").addEventListener("click", download);
  const first = data.start === null ? { index: last >> 1, exact: false } : placed(data.start);
  byHand(first.index, first.exact ? data.start : data.threshold[first.index], "");
}
