// Fields may be named as the form's own properties are, which they would hide: no property of the
// form itself is used here.
const first = (selector, inside = page) => inside.querySelector(selector);
const all = (selector, inside = page) => [...inside.querySelectorAll(selector)];
const page = first("main", document);
const [form, sent, send] = ["form", ".sent", "button"].map((selector) => first(selector));
const button = send ?? {};
// What is sent is asked of the form itself, and written as browsers write it.
const body = () => new URLSearchParams(new FormData(form));
// Whether "1-3.5", the value of a line, stands for a bucket.
const holds = (runs, bucket) =>
  runs.split(".").some((run) => {
    const [low, high = low] = run.split("-");
    return +low <= bucket && bucket <= +high;
  });
// What is typed or found marks a line. These fields have no name and belong to no form.
const aids = (inside) => all(".aid [form]", inside);
const empty = () => aids().forEach((aid) => (aid.value = ""));
// The page has a pattern of each: one to type a number into, one to find a name in.
function offer(field, options = []) {
  const { numbers, kind } = field.dataset;
  const pattern = first(numbers ? "input" : "select", first("template").content);
  const aid = pattern.closest("div").cloneNode(true);
  first("select", aid)?.append(...options);
  if (kind) Object.assign(first("input", aid), { type: kind, step: "" });
  field.append(aid);
}
function assist(field) {
  const [aid] = aids(field);
  const note = first("b", field);
  field.oninput = (event) => {
    if (note) note.textContent = "";
    if (event.target == aid) {
      let place = aid.value || null;
      if (note && place) {
        const typed = aid.type == "number" ? aid.valueAsNumber : place;
        place = interval(JSON.parse(field.dataset.numbers), typed);
        if (place === null) note.textContent = page.dataset.noLine;
      }
      for (const line of all("[name],[name] *", field))
        line.checked = line.selected = place !== null && holds(line.value, place);
    } else if (aid) aid.value = "";
    changed(field);
  };
}
function show() {
  const code = first("code", sent);
  code.textContent = String(body()) || code.dataset.nothing;
  sent.hidden = false;
}
// Nothing stays: not after sending, not after coming back.
function wipe() {
  HTMLFormElement.prototype.reset.call(form);
  empty();
  for (const part of all("details")) part.open = false;
  button.disabled = false;
  begin();
}
page.onsubmit = () => {
  empty();
  button.disabled = true;
};
onpageshow = onpagehide = wipe;
