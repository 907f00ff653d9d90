// Ask one question after the other, as the answers so far lead on.
const room = first("form > div");
const [nodes, labels, ends, or, more, members] = JSON.parse(first("[type*=json]").textContent);
const questions = [...room.children];
const most = 12;
const make = (tag, ...inside) => {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
};
const fill = (words, parts) => words.replace(/{(\w+)}/g, (_, part) => parts[part]);
// What several lines are called together.
function joined(texts) {
  const [count, last] = [texts.length, texts.slice(-1)[0]];
  const until = (end) => texts.slice(0, end).join(", ");
  if (count > 4) return fill(more, { names: until(2), count: count - 2 });
  return count > 1 ? fill(or, { before: until(-1), last }) : last;
}
const every = (place) =>
  [...new Set(all("option", questions[place]).map((line) => line.value))].sort((a, b) => a - b);
// A question with these answers; the page itself has a line for each bucket or category.
function build(place, ways) {
  const question = questions[place].cloneNode(true);
  const list = first("select", question);
  const { name } = list;
  const { numbers } = question.dataset;
  const known = [...list].map((line) => [line.text.replace(/ \(\d+\)$/, ""), line.value]);
  const many = ways.length > most;
  let findable;
  const lines = ways.flatMap((way) => {
    const texts = known.filter(([, bucket]) => holds(way, bucket)).map(([word]) => word);
    const label = labels[place][way] ?? joined(texts);
    if (many) return (numbers ? [label] : texts).map((word) => new Option(word, way));
    const line = Object.assign(make("input"), { type: "radio", name, value: way });
    const code = make("code", String(new URLSearchParams([[name, way]])));
    const row = [make("p", make("label", line, label), code)];
    if (!numbers && texts.some((word) => !label.includes(word))) {
      const items = texts.map((word) => make("li", word));
      const head = make("summary", fill(members, { count: texts.length }));
      row.push((findable = make("details", head, make("ul", ...items))));
    }
    return row;
  });
  list.remove();
  const field = make("fieldset", make("legend", ...question.childNodes));
  if (many) {
    list.replaceChildren(...lines);
    list.size = lines.length;
    list.setAttribute("aria-label", field.textContent.trim());
    field.append(list);
  } else field.append(...lines);
  Object.assign(field.dataset, question.dataset);
  if (numbers || findable) offer(field, known.map((line) => new Option(...line)));
  field.chosen = () => ways.indexOf(body().get(name));
  return field;
}
function ask(number) {
  if (button) button.hidden = button.disabled = number >= 0;
  if (number < 0) return finish(ends[-1 - number]);
  finish();
  const [, place, menu, after] = /(\d+):?(.*)=(.*)/.exec(nodes.split(";")[number]);
  const field = build(place, menu ? menu.split(" ") : every(place));
  const nexts = after.split(",");
  // an empty place leads where the one before it does
  field.next = (way) => nexts[way] || (way ? field.next(way - 1) : "");
  room.append(field);
  assist(field);
}
function changed(field) {
  while (field.nextSibling) field.nextSibling.remove();
  const way = field.chosen();
  if (way >= 0) ask(+field.next(way));
  else {
    if (button) button.hidden = button.disabled = true;
    finish();
  }
}
function finish(answer) {
  if (button) return show();
  sent.hidden = answer === undefined;
  first("b", sent).textContent = answer ?? "";
}
function begin() {
  room.replaceChildren();
  ask(0);
}
begin();
// On paper everything is asked, unless somebody has begun to answer here.
const onPaper = (question, place) => {
  const ways = every(place);
  return ways.length > most ? question : build(place, ways);
};
addEventListener("beforeprint", () => {
  if (!String(body())) room.replaceChildren(...questions.map(onPaper));
});
addEventListener("afterprint", () => {
  if (!String(body())) begin();
});
