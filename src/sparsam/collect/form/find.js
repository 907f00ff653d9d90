// The categories that lines stand for can be found by name, where the lines do not name them all.
for (const field of all("fieldset:has(details)")) {
  const options = all("[type=radio]", field).flatMap(({ parentNode, value }) =>
    names(parentNode).map((name) => new Option(name, value)),
  );
  if (!("ordered" in field.dataset)) options.sort((a, b) => a.text.localeCompare(b.text));
  offer(field, options);
}
// The categories of one line: listed below it, or named in it.
function names(label) {
  const below = label.parentNode.nextElementSibling;
  if (below?.matches("details")) return all("li", below).map((item) => item.textContent.trim());
  return JSON.parse(label.dataset.names ?? "null") ?? [label.textContent.trim()];
}
