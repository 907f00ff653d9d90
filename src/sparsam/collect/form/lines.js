// The questions are in the page.
for (const field of all("form>div>*")) {
  if (field.dataset.numbers) offer(field);
  assist(field);
}
begin();
