// Charts, light and dark, copies, and the ways a confusion matrix can be read.
const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");
const figures = read("heldout-figures") ?? {};
const themes = read("heldout-themes");
const copies = read("heldout-copies") ?? {};
const root = document.documentElement;
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

async function draw() {
  if (!themes || !window.vegaEmbed) return;
  const config = themes[isDark() ? "dark" : "light"];
  for (const place of document.querySelectorAll("[data-figure]")) {
    const spec = figures[place.dataset.figure];
    // The place itself is the picture for a screen reader; the parts of the drawing would only be noise.
    const drawing = document.createElement("div");
    drawing.className = "drawing";
    drawing.setAttribute("aria-hidden", "true");
    place.replaceChildren(drawing);
    const options = { config, ast: true, actions: false, renderer: "svg", defaultStyle: false };
    await window.vegaEmbed(drawing, structuredClone(spec), options);
  }
  root.dataset.drawn = isDark() ? "dark" : "light";
}

const button = document.getElementById("theme");
function named() {
  button.textContent = isDark() ? "Light" : "Dark";
  root.dataset.shown = isDark() ? "dark" : "light";
}
button.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  named();
  draw();
});
prefersDark.addEventListener("change", () => {
  named();
  draw();
});

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
for (const one of document.querySelectorAll("[data-copy]")) {
  one.addEventListener("click", async () => {
    await copied(copies[one.dataset.copy]);
    document.getElementById("copied").textContent = `${one.textContent} copied`;
  });
}

for (const group of document.querySelectorAll(".ways")) {
  group.addEventListener("click", (event) => {
    const way = event.target.dataset?.way;
    if (!way) return;
    for (const one of group.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one === event.target));
    for (const cell of group.nextElementSibling.querySelectorAll("[data-counts]")) cell.textContent = cell.dataset[way];
  });
}

for (const shown of document.querySelectorAll(".scripted")) shown.hidden = false;
named();
draw();
