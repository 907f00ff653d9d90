// The lines are in the page.
for (const field of all("fieldset")) {
  if (field.dataset.numbers) offer(field);
  assist(field);
}
begin();
