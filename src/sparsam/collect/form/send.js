const changed = show, begin = show;
page.querySelectorAll("fieldset").forEach(assist);
begin();
