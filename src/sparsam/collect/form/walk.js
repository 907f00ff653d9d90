// Ask one question after the other, as the answers so far lead on.
const walk = JSON.parse(document.querySelector("[type='application/json']").textContent);
const room = page.querySelector("form > div");
const fields = [...room.children];
const most = 12;
const make = (tag, ...inside) => {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
};
// What the lines of a question say, and the categories of each bucket.
function read(field) {
  const said = [], members = [], listed = [];
  for (const { parentNode, value } of field.querySelectorAll("[type=radio]")) {
    said[value] = parentNode.textContent.trim();
    members[value] = names(parentNode);
    listed[value] = parentNode.parentNode.querySelector("li");
  }
  for (const { text, value } of field.querySelectorAll("[name] > [value]"))
    (members[value] ??= []).push(text.replace(/ \(\d+\)$/, ""));
  return { said, members, listed };
}
function line(name, value, label, members, listed, next) {
  const input = make("input");
  Object.assign(input, { type: "radio", name, value });
  input.dataset.next = next;
  const code = make("code", String(new URLSearchParams([[name, value]])));
  const text = make("label", input, ` ${label}`);
  if (members.length > 1) text.dataset.names = JSON.stringify(members);
  const row = make("div", text, code);
  if (listed) {
    const count = page.dataset.members.replace("{count}", members.length);
    const items = members.map((member) => make("li", member));
    row.append(make("details", make("summary", count), make("ul", ...items)));
  }
  return row;
}
function ask(number) {
  if (button) button.hidden = button.disabled = number >= 0;
  if (number < 0) return finish(walk.ends[-1 - number]);
  finish();
  const [question, ...node] = walk.nodes[number];
  const field = fields[question].cloneNode(true);
  const { name } = field.querySelector("[name]");
  const { said, members, listed } = read(field);
  // a number alone is where every bucket leads
  const ways = node[0].length
    ? node.map(([choice, next]) => [next, ...[walk.choices[choice]].flat()])
    : members.map((_, bucket) => [node[0], bucket]);
  const lines = ways.map(([next, value, label, list]) => {
    const stands = members.filter((_, bucket) => holds(`${value}`, bucket)).flat();
    if (ways.length <= most)
      return line(name, value, label ?? said[value], stands, label ? list : listed[value], next);
    return (label && !list ? [label] : stands).map((text) => {
      const option = new Option(text, value);
      option.dataset.next = next;
      return option;
    });
  });
  for (const old of field.querySelectorAll("div, [name] > [value]")) old.remove();
  const picked = field.querySelector("select[name]");
  const aid = field.querySelector(".aid");
  if (ways.length > most) picked.append(...lines.flat()), (picked.size = picked.length);
  else {
    picked?.remove();
    for (const row of lines) field.insertBefore(row, aid);
  }
  room.append(field);
  assist(field);
}
function changed(field) {
  while (field.nextSibling) field.nextSibling.remove();
  const marked = field.querySelector("[data-next]:checked");
  if (marked) ask(+marked.dataset.next);
  else {
    if (button) button.hidden = button.disabled = true;
    finish();
  }
}
function finish(answer) {
  if (button) return show();
  sent.hidden = answer === undefined;
  sent.querySelector("b").textContent = answer ?? "";
}
function begin() {
  room.replaceChildren();
  ask(0);
}
begin();
// On paper everything is asked, unless somebody has begun to answer here.
addEventListener("beforeprint", () => {
  if (!String(body())) room.replaceChildren(...fields);
});
addEventListener("afterprint", () => {
  if (!String(body())) begin();
});
