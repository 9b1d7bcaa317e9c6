"use strict";
// Shows the numbers at the positions of the sliders. They are texts, calculated by pauci.
(() => {
  const samples = JSON.parse(document.getElementById("cutoff-numbers").textContent);

  // Make a slider usable; `show` is called with its position after every change.
  function slider(id, words, show) {
    const input = document.getElementById(id + "-slider");
    const output = document.getElementById(id + "-words");
    input.hidden = false;
    input.setAttribute("aria-valuetext", words[input.value]);
    input.addEventListener("input", () => {
      output.textContent = words[input.value];
      input.setAttribute("aria-valuetext", words[input.value]);
      show();
    });
    return () => Number(input.value);
  }

  function move(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  }

  // Show a classifier at a cut-off and a prevalence.
  function showPanel(panel, cutoff, prevalence) {
    const element = document.getElementById(panel.id);
    const cells = element.querySelectorAll("td");
    const texts = [
      ...panel.rows.map((row) => row[cutoff]),
      ...panel.atPrevalence.map((row) => row[prevalence][cutoff]),
    ];
    texts.forEach((text, i) => { cells[i].textContent = text; });
    const [x, y, left, right, low, high] = panel.places[cutoff];
    const height = 500;
    move(element.querySelector(".across"), { x1: left, x2: right, y1: height - y, y2: height - y });
    move(element.querySelector(".upright"), { x1: x, x2: x, y1: height - low, y2: height - high });
    move(element.querySelector("circle"), { cx: x, cy: height - y });
    const headings = element.querySelectorAll("tbody th");
    const said = texts.map((text, i) => headings[i].textContent + " " + text);
    element.querySelector("[role=status]").textContent = said.slice(4).join("; ");
  }

  for (const sample of samples) {
    const positions = sample.panels.map(() => null);
    const showAll = () => positions.forEach((position, i) => show(i));
    const prevalence = slider(sample.id, sample.prevalences, showAll);
    const show = (i) => showPanel(sample.panels[i], positions[i](), prevalence());
    sample.panels.forEach((panel, i) => {
      positions[i] = slider(panel.id, panel.cutoffs, () => show(i));
    });
  }
  for (const element of document.querySelectorAll("[data-script]")) element.hidden = false;
})();
