// Ask one question after the other, as the answers so far lead on.
const room = first("form>div");
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
  const until = (end) => texts.slice(0, end).join(", ");
  const beyond = texts.length - 2;
  if (beyond > 2) return fill(more, { names: until(2), count: beyond });
  const last = texts.at(-1);
  return beyond < 0 ? last : fill(or, { before: until(-1), last });
}
// The answers to a question: these, each for several buckets, and every other bucket by itself.
const answers = (place, several = []) => {
  const way = ({ value }) => several.find((runs) => holds(runs, value)) ?? value;
  const ways = [...new Set(all("option", questions[place]).map(way))];
  return ways.sort((a, b) => parseInt(a) - parseInt(b));
};
// A question with these answers; the page itself has a line for each bucket or category.
function build(place, ways) {
  const question = questions[place].cloneNode(true);
  const list = first("select", question);
  const { name } = list;
  const { numbers } = question.dataset;
  const known = [...list];
  for (const line of known) line.text = line.text.replace(/ \(\d+\)$/, "");
  let findable;
  let lines = ways.flatMap((way) => {
    const texts = known.filter((line) => holds(way, line.value)).map((line) => line.text);
    const said = labels[place][way] ?? joined(texts);
    if (ways.length > most) return (numbers ? [said] : texts).map((word) => new Option(word, way));
    const line = Object.assign(make("input"), { type: "radio", name, value: way });
    const code = make("code", String(new URLSearchParams([[name, way]])));
    const row = [make("p", make("label", line, said), code)];
    if (!numbers && texts.some((word) => !said.includes(word))) {
      const items = texts.map((word) => make("li", word));
      const head = make("summary", fill(members, { count: texts.length }));
      row.push((findable = make("details", head, make("ul", ...items))));
    }
    return row;
  });
  list.remove();
  if (ways.length > most) {
    list.ariaLabel = question.textContent.trim();
    list.replaceChildren(...lines);
    list.size = lines.length;
    lines = [list];
  }
  const field = make("fieldset", make("legend", ...question.childNodes), ...lines);
  Object.assign(field.dataset, question.dataset);
  if (numbers || findable) offer(field, known);
  return field;
}
function ask(number) {
  button.hidden = button.disabled = !(number < 0);
  finish(ends[-1 - number]);
  if (!(number >= 0)) return;
  const [place, after, several] = nodes.split(";")[number].split(":");
  const ways = answers(place, several?.split(" "));
  const field = build(place, ways);
  // an empty place leads where the one before it does; nowhere without an answer
  field.next = () => {
    const way = ways.indexOf(body().get(first("[name]", field).name));
    return after.split(",").slice(0, way + 1).findLast(Boolean);
  };
  room.append(field);
  assist(field);
}
function changed(field) {
  while (field.nextSibling) field.nextSibling.remove();
  ask(field.next());
}
function finish(answer) {
  if (send) return show();
  sent.hidden = answer === undefined;
  first("b", sent).textContent = answer ?? "";
}
function begin() {
  room.replaceChildren();
  ask(0);
}
begin();
// On paper everything is asked, unless somebody has begun to answer here.
onbeforeprint = () => {
  if (String(body())) return;
  const onPaper = (list, place) => {
    const ways = answers(place);
    if (ways.length > most) return list;
    return build(place, ways);
  };
  room.replaceChildren(...questions.map(onPaper));
};
onafterprint = () => {
  if (!String(body())) begin();
};
