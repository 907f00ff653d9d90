// Fields may be named as the form's own properties are, which they would hide: no property of the
// form itself is used here.
const page = document.querySelector("main");
const form = page.querySelector("form");
const sent = page.querySelector(".sent");
const button = page.querySelector("button");
// What is sent is asked of the form itself, and written as browsers write it.
const body = () => new URLSearchParams(new FormData(form));
// Whether "1-3.5", the value of a line, stands for a bucket.
const holds = (value, bucket) =>
  value.split(".").some((run) => {
    const [first, last = first] = run.split("-");
    return +first <= bucket && bucket <= +last;
  });
// What is typed or found marks a line. These fields have no name and belong to no form.
function assist(field) {
  const lines = [...field.querySelectorAll("[name]")];
  const aid = field.querySelector(".aid [form]");
  if (aid) {
    aid.closest("p").hidden = false;
    if (aid.type == "select-one" && aid.length < 2) list(field, aid);
  }
  const mark = (bucket) => {
    for (const line of lines) {
      if (line.type == "radio") line.checked = bucket !== null && holds(line.value, bucket);
      else line.selectedIndex = [...line].findIndex(({ value }) => bucket !== null && holds(value, bucket));
    }
  };
  field.oninput = ({ target }) => {
    const note = field.querySelector("b");
    if (target != aid) {
      if (aid) aid.value = "";
      if (note) note.textContent = "";
    } else if (note) {
      const value = aid.type == "number" ? aid.valueAsNumber : aid.value || NaN;
      const known = value === value;
      const place = known ? bucket({ ...JSON.parse(field.dataset.numbers), labels: [0, 0] }, value) : null;
      mark(place);
      note.textContent = known && place === null ? page.dataset.noLine : "";
    } else mark(aid.value ? +aid.value : null);
    changed(field);
  };
}
// The categories of all lines, to be found by name.
function list(field, aid) {
  const options = [...field.querySelectorAll("[type=radio]")].flatMap(({ parentNode, value }) =>
    names(parentNode).map((name) => new Option(name, parseInt(value))),
  );
  if (!("ordered" in field.dataset)) options.sort((a, b) => a.text.localeCompare(b.text));
  aid.append(...options);
}
// The categories that a line stands for: listed below it, or named in it.
function names(label) {
  const items = [...label.parentNode.querySelectorAll("li")].map((item) => item.textContent.trim());
  return items.length ? items : JSON.parse(label.dataset.names ?? "null") ?? [label.textContent.trim()];
}
function show() {
  sent.hidden = false;
  const text = sent.querySelector("code");
  text.textContent = String(body()) || text.dataset.nothing;
}
// Nothing stays: not after sending, not after coming back.
function wipe() {
  HTMLFormElement.prototype.reset.call(form);
  for (const aid of page.querySelectorAll(".aid [form]")) aid.value = "";
  for (const part of page.querySelectorAll("details")) part.open = false;
  if (button) button.disabled = false;
  begin();
}
page.onsubmit = () => {
  for (const aid of page.querySelectorAll(".aid [form]")) aid.value = "";
  if (button) button.disabled = true;
};
addEventListener("pageshow", wipe);
addEventListener("pagehide", wipe);
