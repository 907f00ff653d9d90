// The lines are in the page: the categories that they stand for can be found by name.
for (const field of all("fieldset")) {
  const aid = first(".aid select", field);
  const options = all("[type=radio]", field).flatMap(({ parentNode, value }) =>
    names(parentNode).map((name) => new Option(name, value)),
  );
  if (!("ordered" in field.dataset)) options.sort((a, b) => a.text.localeCompare(b.text));
  aid?.append(...options);
  assist(field);
}
// The categories that a line stands for: listed below it, or named in it.
function names(label) {
  const items = all("li", label.parentNode).map((item) => item.textContent.trim());
  return items.length ? items : JSON.parse(label.dataset.names ?? "null") ?? [label.textContent.trim()];
}
begin();
