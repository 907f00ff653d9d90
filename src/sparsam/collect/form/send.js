const changed = show, begin = show;
