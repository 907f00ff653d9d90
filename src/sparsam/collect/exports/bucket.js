// The bucket of a raw value, as Python finds it; null: it has none. An attribute is plain data:
// {name, labels, missing, cuts, range?, unit?, age_on?} or {name, labels, missing, groups, unseen}.
function bucket(attribute, value) {
  const { labels, missing, groups, unseen } = attribute;
  if (labels.length < 2) return 0;
  if (typeof value == "bigint") value = Number(value);
  if (value === null || value !== value) return missing;
  if (groups) {
    if (!["string", "number", "boolean"].includes(typeof value)) return null;
    const at = groups.findIndex((group) => group.includes(value));
    return at < 0 ? unseen : at;
  }
  return interval(attribute, value);
}
// The interval of a number, or of a moment.
function interval({ cuts, range, unit, age_on }, value) {
  const number = unit || age_on ? moment(unit, value, age_on) : value;
  if (typeof number != "number" || number < range?.[0] || number > range?.[1]) return null;
  return cuts.filter((cut) => cut <= number).length;
}
function moment(unit, value, on) {
  if (unit) return unit == "time" ? minuteOf(value) : dateOf(value)?.day;
  return typeof value == "number" && value <= 150 ? value : ageOf(value, on);
}
// Minutes since midnight: 08:30 or 8:30:59.
function minuteOf(text) {
  const clock = /^[ \t-\r]*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?[ \t-\r]*$/;
  const [, hour, minute, second] = (typeof text == "string" && clock.exec(text)) || [];
  return hour < 24 && minute < 60 && !(second > 60) ? hour * 60 + +minute : null;
}
// The date 1960-01-31, 1960-01-31T08:30 or 19600131, text or number.
function dateOf(value) {
  const date = /^[ \t-\r]*(\d{4})(?:-(\d\d)-(\d\d)(?:[T ](\d[^ \t-\r]*?)(?:Z|[+-]\d\d(?::?\d\d)?)?)?|(\d\d)(\d\d))[ \t-\r]*$/;
  const part = /^(n|st)/.test(typeof value) && date.exec(value);
  if (!part || (part[4] && minuteOf(part[4]) === null)) return null;
  const [year, month, nth] = [part[1], part[2] ?? part[5], part[3] ?? part[6]].map(Number);
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, nth);
  const exists = year && time.getUTCMonth() == month - 1 && time.getUTCDate() == nth;
  return exists ? { year, inYear: month * 100 + nth, day: time / 864e5 } : null;
}
// Whole years of a person on a day.
function ageOf(birth, on) {
  const [born, then] = [dateOf(birth), dateOf(on)];
  return born && then.year - born.year - (born.inYear > then.inYear);
}
